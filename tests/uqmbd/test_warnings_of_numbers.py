"""What a solver says of a model's numbers reaches the notes of a study, also after it was stopped and when no run is made again."""

import flexmbd as fm
from uqmbd import Interval, Study, TimeGrid, Vertex
from uqmbd.campaign.tally import CampaignStatistics
from uqmbd.outcomes import WARNING


def hanging(stiffness):
    s = fm.System(gravity=(0.0, -9.81))
    bob = s.body("bob", mass=1.0, inertia=0.1)
    s.add(fm.ClearanceRevolute("pin", bob.centre, s.ground.at(0.0, 0.0), 1e-4, fm.HuntCrossley(stiffness, restitution=0.6)))
    return s


def study(low, high):
    inputs = {"stiffness": Interval(low, high)}
    return Study(model=hanging, time=TimeGrid(end=0.02, points=3), inputs=inputs, outputs=["bob.y:final"], method=Vertex(), name="hanging")


def notes(result):
    return [note for note in result.attrs["notes"] if "too soft" in note]


def test_a_joint_that_bodies_go_through_is_a_note_of_the_study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = study(1e6, 2e6).run(workers=0, report=False)
    assert len(notes(first)) == 1 and notes(first)[0].startswith("contact 'pin': in some runs the bodies penetrate each other")
    again = study(1e6, 2e6).run(workers=0, report=False)
    assert again.attrs["notes"] == first.attrs["notes"]


def test_nothing_is_said_where_the_joint_is_stiff(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert notes(study(1e10, 2e10).run(workers=0, report=False)) == []


class Store:
    """What a campaign needs of a store here."""

    def __init__(self, said):
        self.said = {"simulator": said}

    def about(self):
        return self.said

    def describe(self, attributes):
        self.said |= attributes


def test_warnings_of_later_batches_and_of_sessions_before_are_kept():
    from uqmbd.campaign.campaign import Campaign

    campaign = Campaign.__new__(Campaign)
    campaign.tally, campaign.store = CampaignStatistics(), Store({WARNING + "a": "first session", "solver": "old"})
    campaign.hear({"solver": "new"})
    campaign.hear({"solver": "newer", WARNING + "b": "second batch"})
    assert campaign.store.about()["simulator"] == {WARNING + "a": "first session", WARNING + "b": "second batch", "solver": "new"}
