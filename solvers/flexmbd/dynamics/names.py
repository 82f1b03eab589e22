"""Entries of the table of integers that the flow of a section map reads: sizes, rows, addresses of numbers and of functions."""

# Rows of X are variables of the equations, behind them what functions store. Sizes, and first rows of X:
(
    NUMBERS, TABLES,  # addresses of what the machine code of the equations reads
    N, M, NS, NC, NU, NP, Q, V, S, A, L, MODE, Z, SMALLEST, COUNT, P_ROW, IMPULSE, OUT, X_ROWS,
    COLUMNS, OF_STATE, WIDE, BROAD, TURNING_COUNT, KEPT, MOST,
    # addresses: state and derivatives, approach speeds, numbers; matrix, exchanged rows, scales, right-hand sides
    STATE, SPEEDS, CHANGES, MATRIX, ORDER, SCALE, SIDES,
    # rates of all stages, a stage, the end of a step, further rates; penetrations before and after, shifts of an event's time
    RATES_AT, STAGE, END, OTHER, BEFORE, AFTER, SHIFTS,
    WEIGHTS, FREE, BOUND, PLACE, TURNING, REMEMBERED, REALS, TOLD, ENTRIES, SEGMENTS,
    FUNCTIONS,  # from here on addresses of functions
) = range(53)  # fmt: skip
MOTION, SLOPES, CLOSING, EVENTS, IMPACTS = range(5)  # functions, those of impacts behind the others
# what functions store, one segment behind another: values; or derivatives, each with its row and column
(
    LOAD, MASS, JACOBIAN, CONVECTIVE, GAPS,  # "motion": -F, M, G, rows' accelerations at a = 0, penetration and rate of each contact
    FORCE_Q, FORCE_V, FORCE_Z, FORCE_P, ROW_Q, ROW_V, ROW_P,  # "slopes": of M a + G'l - F and of the rows' accelerations
    ROWS, RATES, ROWS_P, RATES_Q, RATES_P, TURNS,  # "closing": the rows, their rates, derivatives of both; angles that count turns
    GAP_Q, GAP_P, RATE_Q, RATE_V, RATE_P, RATE_T, SLOWEST,  # "events": of the penetrations and their rates; least approach speeds
    FIRST_IMPACT,
) = range(26)  # fmt: skip
NORMAL, RESTITUTION, IMPACT_Q, IMPACT_V, IMPACT_P, IMPACT_T = range(6)  # of each contact that cannot be penetrated
PER_IMPACT = 6
TOLERANCE, SPAN, SLOW, LARGEST_STEP, SIZE = range(5)  # numbers of a run
REALS_COUNT = 5
STRUCK, APPROACH, STEPS, TIME, WRONG = range(5)  # what a run tells: onsets, least approach speed, steps, when and what is wrong
TOLD_COUNT = 5
# what may be wrong
DONE, SINGULAR, SMALL, MANY, OPEN, INSIDE, CHATTERS, GRAZES, REMEMBERS, HOLDS = range(10)
