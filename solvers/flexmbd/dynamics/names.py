"""Entries of the table of integers that the flow of a section map reads: sizes, rows, addresses of numbers and of functions."""

# Rows of X are variables of the equations, behind them what functions store. Sizes, and first rows of X:
(
    NUMBERS, TABLES,  # addresses of what the machine code of the equations reads
    N, M, NS, NC, NU, NP, Q, V, S, A, L, MODE, Z, SMALLEST, COUNT, P_ROW, IMPULSE, OUT, X_ROWS,
    COLUMNS, OF_STATE, WIDE, BROAD, TURNING_COUNT, KEPT, MOST, SECTION, BETWEEN, APART,
    # addresses: state and derivatives, approach speeds, numbers; matrix, exchanged rows, scales, right-hand sides
    STATE, SPEEDS, CHANGES, MATRIX, ORDER, SCALE, SIDES,
    # rates of all stages, a stage, the end of a step, further rates; penetrations before and after, shifts of an event's time
    RATES_AT, STAGE, END, OTHER, BEFORE, AFTER, SHIFTS,
    WEIGHTS, FREE, BOUND, PLACE, TURNING, REMEMBERED, REALS, TOLD, ENTRIES, SEGMENTS, BEGUN, NEAREST,
    LEVELS,  # the last three: rates at the start, the largest penetration of the contact that is left out, derivatives of the level
    FUNCTIONS,  # from here on addresses of functions
) = range(59)  # fmt: skip
MOTION, SLOPES, CLOSING, EVENTS, PASSING, IMPACTS = range(6)  # functions, those of impacts behind the others
# what functions store, one segment behind another: values; or derivatives, each with its row and column
(
    LOAD, MASS, JACOBIAN, CONVECTIVE, GAPS,  # "motion": -F, M, G, rows' accelerations at a = 0, penetration and rate of each contact
    FORCE_Q, FORCE_V, FORCE_Z, FORCE_P, ROW_Q, ROW_V, ROW_P,  # "slopes": of M a + G'l - F and of the rows' accelerations
    ROWS, RATES, ROWS_P, RATES_Q, RATES_P, TURNS,  # "closing": the rows, their rates, derivatives of both; angles that count turns
    GAP_Q, GAP_P, RATE_Q, RATE_V, RATE_P, RATE_T, SLOWEST,  # "events": of the penetrations and their rates; least approach speeds
    BEYOND, BEYOND_Q, BEYOND_V, BEYOND_P,  # "passing": what passes the level of the section, its rate; derivatives of the first
    FIRST_IMPACT,
) = range(30)  # fmt: skip
# of each contact that cannot be penetrated; RESTITUTION: with friction that, the tangential one, the coefficient, sliding velocities
NORMAL, TANGENT, RESTITUTION, IMPACT_Q, IMPACT_V, IMPACT_P, IMPACT_T = range(7)
PER_IMPACT = 7
TOLERANCE, SPAN, SLOW, LARGEST_STEP, SIZE, START, UNTIL, LEVEL, WAY = range(9)  # numbers of a run; times of its start, and when it
# ends at last; the level of the section, and how it is passed: 1 up, -1 down, 0 both
REALS_COUNT = 9
# what a run tells: onsets, least approach speed, steps, when and what is wrong, when it comes to the section; and what it keeps of its
# section: how far beyond it is, the rate, how far away it was; whether it begins on it, and within the contact that it leaves;
# when it is nearest to the contact that is left out, and how fast it came nearer at last; how the section is passed next
STRUCK, APPROACH, STEPS, TIME, WRONG, ARRIVED, HERE, HERE_RATE, AWAY, OWN, LEAVES, NEAREST_AT, RISING, SIDE = range(14)
TOLD_COUNT = 14
NOWHERE, CROSSED = -2, -1  # kinds of sections, else the contact whose onsets they are
# what may be wrong
DONE, SINGULAR, SMALL, MANY, OPEN, INSIDE, CHATTERS, GRAZES, REMEMBERS, HOLDS, LOST, TOUCHES, LIMIT, JAMS = range(14)
