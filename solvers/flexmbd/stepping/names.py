"""Numbers of rows and entries that the compiled time loop, the schemes and the model's functions agree on.

Compiled functions take four arguments, ``(X, P, W, at)``: state and step rows, parameters, work, and a table of integers: sizes, first
rows, flags, addresses. Rows of X that every model has stand here; where the others begin the table says (`flexmbd.state.Layout`).

- A *point* is a state of the equations: time, N coordinates, N velocities, M further states, one row each.
- A *slot* is what they give: accelerations (or a row's multipliers), from row `RATES` on the M rates of further states, from `GAPS` on
  penetration and its rate of each contact.
- A contact has `CONTACT_ROWS` rows: mode (0 free, `ARMED` free but may begin within a step, 1 contact), impact velocity, penetration,
  its rate, impacts, least impact velocity; behind those of all, a row each, the penetration within which its events are located, and then
  the largest penetration so far.
- Of a signal that is reduced `SUM_ROWS` rows: largest value, when, smallest, when, integral, integral of its square.
- Of a window `WINDOW_ROWS` (`windows`): those of the signal within it, its begin and end; and where it is a turn of a shaft those of the
  turn that goes on, its begin, the angle at the start, and whole turns so far.
- Of a section `SECTION_ROWS` (`sections`): its signal at the step's start, points so far, the time from which on they count, the time
  between them, the number of the next one, the level; and what is found in a step.
"""

# ---- rows of X that every model has: those of a step, then those of the state
(
    H, ERROR, WHO, BETA_H2, GAMMA_BETA_H, STEP_SHARE, FRACTION, TIME_MARGIN, OVER, CUT, NEARNESS, NEAREST, NEAR_AT_END, NEAR_WITHIN,
    NOMINAL_STEP, STEP_TO_EVENT, STEPS, REJECTED, EVENTS, STATUS, VELOCITY_SCALE, ANGULAR_SCALE, FLOORED, BEFORE, LARGEST_DISTANCE,
    NEXT_CHECK, LAST_CHECK_TIME, MECHANISM_SIZE, KEPT_BETA_H2, KEPT_GAMMA_BETA_H, KEPT_RATE, KEPT_START, DUE, NEXT, PACE, BOOKED,
    NEAR_AT_START, NEAREST_SO_FAR, WHEN_NEAREST, LEAP, LARGEST_ENERGY, NEXT_MEASURE, T,
) = range(43)  # fmt: skip
LANE_ROWS = T  # the point at the step's start begins with its time
START = T
SUM_ROWS = 6
MOST, WHEN_MOST, LEAST, WHEN_LEAST, INTEGRAL, SQUARES = range(SUM_ROWS)
WINDOW_ROWS = 2 * SUM_ROWS + 5
SECTION_ROWS = 8
REGULAR, UP, DOWN, BOTH, IMPACT = range(5)  # kinds of points on sections: at equal times, passages of a level, impacts

# ---- entries of the table
(
    N, M, NC, NU, ND, NM, NR, NS, NY, NP, NPO, COUNT,
    END, MIDDLE, CONTACTS, LARGEST, SLOTS, STRIDE, RATES, GAPS, LAST, FACTORS, KEPT, SUMS, Y0, YM, Y1, STATE_ROWS, OUT_ROWS,
    FIXED, KINKS, JUMPS, CLOSES, AUGMENTED, FROZEN, FLAT, RESTART, STEPPED, BOOKS,
    RHS, PROJECT, RESIDUAL, ASSEMBLE_PROJECT, ASSEMBLE_RESIDUAL, LIMITS, MULTIPLIERS, NEWTON, OBSERVE, TANGENT, LINEARISE, RESPOND,
    CLOSING, GRADIENTS, OUTPUTS, ASSIGN, UNILATERAL,
    BEGIN, ATTEMPT, COMMIT, FORGET, RELINEARISE, REFINE, PREPARE_STAGE, RELAX, DENSE, MIDWAY, LOCATE, SWITCH,
    NUMBERS, TABLES, OUT_NUMBERS, OUT_TABLES, SOLVER, ANGULAR, CONTROLLED, STATE_CONTACT, KINK, CONES, REAL, SCHEME,
    QUEUE, QUEUED, STARTED, RUNNING, TURNS, OWNER, CURSOR, STATES, PARAMETERS, HISTORIES, REDUCED, COUNTERS, TIMES, POINTS, GRID, GRID_ROWS,
    PACK_X, PACK_P, RESIDUALS, SHOWN, STAGE, KEPT_ROWS, STOPS, ASSIGNED, ASSIGNS,
    PENETRATIONS, INSIDE, KNOWN, KNOWNS, TIMED, CLOCKS, RESUME, BOW, EXACTLY, ASIDE, WATCHED, BALANCE, LEDGERS, REACTIVE, WORK,
    NW, WINDOWS, WINDOWED, MET, WINDOW_SIGNALS, WINDOW_ENDS, SEARCH, NEIGHBOURS, FURTHER, BETWEEN, SERIES, PROPOSE, MEASURES, PARTS,
    NSECTIONS, SECTIONS, SECTIONED, JUMPED, SECTION_TABLE, SECTION_SIGNALS, SECTION_POINTS, SECTION_ROOM, PART, OF_PARTS,
) = range(144)  # fmt: skip
ENTRIES = 144

# ---- numbers of a run
FINISH, TOLERANCE, H_FIRST, H_MAX, H_MIN, MAX_STEPS, DRIFT, REACH, ITERATIONS, EXPONENT = range(10)
REALS = 10

# Trial steps after which a run is looked at, and stopped if at their pace it needed more than so many times the steps that it may have.
CHECK_INTERVAL, HOPELESS = 10_000.0, 4.0
# status of runs stopped so, of runs left because nobody wanted to wait any longer, of those that a condition ended, and of those whose
# contact problem has no solution, was not solved in as many sweeps as it may take, or has too many events in too little time
STUCK, LEFT, ENDED, UNSOLVED, ROUGH, STORMS = 3.0, 4.0, 5.0, 6.0, 7.0, 8.0
# and of those that came to rest in a singular position, or whose book of energy does not close, as is found after the run
SINGULAR, UNBALANCED = 9.0, 10.0
UNSETTLED = 11.0  # and of those in whose fixed step a fixed-point iteration does not converge
BEYOND = 12.0  # and of those whose step, fixed or the smallest that there is, is longer than their series converge
SAFETY = 0.9
# Of a run: steps, rejected, events, status; its time; time and trial steps since it was last looked at; by how much the book of energy is
# open, and what it is judged by (J); how near the rows came to dependence, and when; sizes of what the book adds up (J).
COUNTER_ROWS = 12
