package dev.weir.benchmarks.tokens;

import java.util.concurrent.TimeUnit;

/** A provider that grants so many tokens a minute, and counts what calls really cost, by itself. */
final class Provider {
    /*
     * A call is answered while there are tokens, and may take more than there are, because the provider does not know either what
     * it will cost. Otherwise the answer is a 429 with the whole seconds, rounded up, until there are tokens again.
     */

    /** The way in which the tokens of a minute are counted. */
    enum Quota {
        /** A bucket that holds as many and refills steadily. */
        BUCKET,
        /** Each minute has its own, from its first second on. */
        MINUTES
    }

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final Quota quota;
    private final double perNano;
    private final double burst;
    private double level;
    private long last;
    private double served;
    private int answered;
    private int refused;

    Provider(Quota quota, long perMinute) {
        this.quota = quota;
        perNano = (double) perMinute / MINUTE;
        burst = perMinute;
        level = perMinute;
    }

    private void refill(long now) {
        if (quota == Quota.BUCKET) {
            level = Math.min(burst, level + (now - last) * perNano);
        } else if (now / MINUTE > last / MINUTE) {
            level = burst;
        }
        last = now;
    }

    /** The seconds to wait after a 429; 0 if the call is answered. */
    long arrives(long now) {
        refill(now);
        if (level > 0) {
            answered++;
            return 0;
        }
        refused++;
        double wait = quota == Quota.BUCKET ? -level / perNano : MINUTE - now % MINUTE;
        return Math.max(1, (long) Math.ceil(wait / 1e9));
    }

    /** Counts tokens of a call that it answers. */
    void counts(double tokens, long now) {
        refill(now);
        level -= tokens;
        served += tokens;
    }

    /** Of the tokens that it would have granted until now, the share that was used. */
    double use(long now) {
        return served / ((quota == Quota.BUCKET ? burst : 0) + now * perNano);
    }

    /** The number of calls, of a thousand, that were answered with a 429. */
    double refusedOfThousand() {
        return 1000.0 * refused / Math.max(1, refused + answered);
    }
}
