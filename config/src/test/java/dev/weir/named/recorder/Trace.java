package dev.weir.named.recorder;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A whole trace: each request with its time, its hold time and its key. */
record Trace(List<Arrival> arrivals, long spanNanos) {
    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000 * MILLI;

    /** One request. */
    record Arrival(long at, long holdNanos, @Nullable String key) {}

    /** Something that varies with time, in seconds. */
    interface Wave {
        double at(double second);
    }

    /** Keys, of which a few are heavy. */
    interface Keys {
        @Nullable
        String at(double second, SplittableRandom random);
    }

    /** Requests at random at this rate per second, with hold times that vary by a log-normal factor around the mean in milliseconds. */
    static Trace drawn(long seed, int seconds, Wave rate, Wave holdMillis, double spread, Keys keys) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Arrival> all = new ArrayList<>();
        double most = 0;
        for (int i = 0; i < 1000 * seconds; i++) {
            most = Math.max(most, rate.at(i / 1000.0));
        }
        double at = 0;
        while (true) {
            at -= StrictMath.log(1 - random.nextDouble()) / most;
            if (at >= seconds) {
                return new Trace(all, seconds * SECOND);
            }
            if (random.nextDouble() * most < rate.at(at)) {
                double factor = StrictMath.exp(spread * gaussian(random) - spread * spread / 2);
                long hold = Math.max(1, (long) (holdMillis.at(at) * factor * MILLI));
                all.add(new Arrival((long) (at * SECOND), hold, keys.at(at, random)));
            }
        }
    }

    /* The same on every machine. */
    private static double gaussian(SplittableRandom random) {
        double radius = Math.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
        return radius * StrictMath.cos(2 * Math.PI * random.nextDouble());
    }

    /** One in so many of the requests: what a recording of single requests would have at the same cost. */
    Trace thinned(int oneIn) {
        List<Arrival> some = new ArrayList<>();
        for (int i = 0; i < arrivals.size(); i += oneIn) {
            some.add(arrivals.get(i));
        }
        return new Trace(some, spanNanos);
    }

    /** The requests one by one. */
    Replay.Traffic traffic() {
        return new Replay.Traffic() {
            private int read = -1;

            @Override
            public boolean next() {
                return ++read < arrivals.size();
            }

            @Override
            public long at() {
                return arrivals.get(read).at();
            }

            @Override
            public long holdNanos() {
                return arrivals.get(read).holdNanos();
            }

            @Override
            public @Nullable String key() {
                return arrivals.get(read).key();
            }
        };
    }
}
