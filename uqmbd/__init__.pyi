"""What `import uqmbd` has, for type checkers and editors; `__init__.py` imports each name when it is asked for."""

from uqmbd.errors import StudyError as StudyError
from uqmbd.inputs import ConvexSet as ConvexSet
from uqmbd.inputs import Dependence as Dependence
from uqmbd.inputs import Fixed as Fixed
from uqmbd.inputs import Focal as Focal
from uqmbd.inputs import Fuzzy as Fuzzy
from uqmbd.inputs import Interval as Interval
from uqmbd.inputs import Random as Random
from uqmbd.inputs.variables import Beta as Beta
from uqmbd.inputs.variables import Exponential as Exponential
from uqmbd.inputs.variables import Gamma as Gamma
from uqmbd.inputs.variables import Gumbel as Gumbel
from uqmbd.inputs.variables import Lognormal as Lognormal
from uqmbd.inputs.variables import Normal as Normal
from uqmbd.inputs.variables import Triangular as Triangular
from uqmbd.inputs.variables import Uniform as Uniform
from uqmbd.inputs.variables import Weibull as Weibull
from uqmbd.methods.imprecise.evidence import Evidence as Evidence
from uqmbd.methods.imprecise.mixed import Mixed as Mixed
from uqmbd.methods.intervals.chebyshev import Chebyshev as Chebyshev
from uqmbd.methods.intervals.search import Search as Search
from uqmbd.methods.intervals.taylor import Taylor1 as Taylor1
from uqmbd.methods.intervals.taylor import Taylor2 as Taylor2
from uqmbd.methods.intervals.vertex import Vertex as Vertex
from uqmbd.methods.parameter_studies.calibrate import Calibrate as Calibrate
from uqmbd.methods.parameter_studies.grid import Grid as Grid
from uqmbd.methods.parameter_studies.list_samples import List as List
from uqmbd.methods.probabilistic.montecarlo import MonteCarlo as MonteCarlo
from uqmbd.methods.probabilistic.pce import PCE as PCE
from uqmbd.methods.reliability.settings import Reliability as Reliability
from uqmbd.methods.sensitivity.settings import Sensitivity as Sensitivity
from uqmbd.methods.sets.convex import ConvexBounds as ConvexBounds
from uqmbd.methods.sets.fuzzy import FuzzyBounds as FuzzyBounds
from uqmbd.report import write_report as write_report
from uqmbd.result import Result as Result
from uqmbd.result import open_results as open_results
from uqmbd.results import Results as Results
from uqmbd.results import open_each as open_each
from uqmbd.simulators.curve import Curve as Curve
from uqmbd.simulators.vectorized import vectorized as vectorized
from uqmbd.study import CampaignSettings as CampaignSettings
from uqmbd.study import Study as Study
from uqmbd.study import TimeGrid as TimeGrid
from uqmbd.surrogates.opening import open_surrogate as open_surrogate

__version__: str
