package dev.weir.redis.contract;

import java.util.List;

/**
 * What a script answers.
 *
 * @param reset microseconds
 * @param retry microseconds, -1 = never
 * @param healed 1 = the call replaced what no script had written
 */
record Decision(long granted, long remaining, long limit, long reset, long retry, long healed) {
    static final int ACQUIRE = 0;
    static final int ACQUIRE_UP_TO = 1;
    static final int CHARGE = 2;
    static final int ACQUIRE_ONCE = 3;
    static final int OVERDRAW = 4;

    Decision(long granted, long remaining, long limit, long reset, long retry) {
        this(granted, remaining, limit, reset, retry, 0);
    }

    Decision healing(long values) {
        return new Decision(granted, remaining, limit, reset, retry, values);
    }

    static Decision of(List<Long> answer) {
        return new Decision(answer.get(0), answer.get(1), answer.get(2), answer.get(3), answer.get(4), answer.get(6));
    }
}
