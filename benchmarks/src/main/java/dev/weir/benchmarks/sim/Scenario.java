package dev.weir.benchmarks.sim;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A server, what is asked of it, and what befalls it meanwhile.
 *
 * @param name what it is called
 * @param seconds how long it runs
 * @param timeoutMillis after how long a caller gives up
 * @param arrivals how many arrive a second, at random
 * @param mixes what arrives, each mix from its moment on
 * @param cpu the first station
 * @param dependency the second one, if there is one
 * @param retries how often a caller tries again who was refused or has given up
 * @param classes the share of each priority, the highest first
 * @param knee how much concurrency the server can use, without what holds no worker; the oracle knows it
 * @param drops which share of what is let in is refused at once by something below; null for none
 * @param backoff how long a caller waits before it tries again; null for 100 ms, doubling, without jitter
 * @param fleet the instances that call the server; null for one, which is told what is late
 */
record Scenario(
        String name,
        double seconds,
        double timeoutMillis,
        Steps arrivals,
        List<Mix> mixes,
        Cpu cpu,
        @Nullable Dependency dependency,
        int retries,
        List<Double> classes,
        Steps knee,
        @Nullable Steps drops,
        @Nullable Backoff backoff,
        @Nullable Fleet fleet) {
    private static final double MAX_SECONDS = 86_400;
    private static final double MAX_REQUESTS = 50e6;

    Scenario {
        present("name", name);
        present("arrivals", arrivals);
        present("mixes", mixes);
        present("cpu", cpu);
        present("classes", classes);
        present("knee", knee);
        check(!name.isBlank(), "name must not be blank");
        check(seconds > 0 && seconds <= MAX_SECONDS, "seconds must be > 0 and at most a day, was " + seconds);
        check(
                timeoutMillis > 0 && timeoutMillis <= 1e3 * MAX_SECONDS,
                "timeoutMillis must be > 0, was " + timeoutMillis);
        double requests = seconds * arrivals.max();
        check(
                requests > 0 && requests <= MAX_REQUESTS,
                "seconds times the highest of arrivals must be within 0 and 50 million, was " + requests);
        check(!mixes.isEmpty() && mixes.get(0).from() == 0, "mixes must begin at 0, were " + mixes);
        check(retries >= 0, "retries must be >= 0, was " + retries);
        double sum = classes.stream().mapToDouble(share -> share).sum();
        check(
                Math.abs(sum - 1) < 1e-9 && classes.stream().allMatch(share -> share >= 0),
                "classes must be shares that sum to 1, were " + classes);
        check(knee.min() >= 1, "knee must be >= 1, was " + knee.min());
        check(
                drops == null || drops.min() >= 0 && drops.max() <= 1,
                "drops must be shares within 0 and 1, were " + drops);
        mixes = List.copyOf(mixes);
        classes = List.copyOf(classes);
    }

    Scenario(
            String name,
            double seconds,
            double timeoutMillis,
            Steps arrivals,
            List<Mix> mixes,
            Cpu cpu,
            @Nullable Dependency dependency,
            int retries,
            List<Double> classes,
            Steps knee) {
        this(name, seconds, timeoutMillis, arrivals, mixes, cpu, dependency, retries, classes, knee, null, null, null);
    }

    /** A server whose work is all the same mix, and which can use its cores. */
    static Scenario plain(String name, double seconds, double timeoutMillis, Steps arrivals, List<Work> work, Cpu cpu) {
        List<Mix> mixes = List.of(new Mix(0, work));
        return new Scenario(name, seconds, timeoutMillis, arrivals, mixes, cpu, null, 0, List.of(1.0), cpu.cores());
    }

    /** A server of calls of one kind, exponential, that one instance calls, which is not told what is late. */
    static Scenario of(
            String name,
            double seconds,
            double timeoutMillis,
            Steps arrivals,
            double meanMillis,
            Cpu cpu,
            double knee) {
        List<Work> work = List.of(Work.exponential(1, meanMillis));
        return plain(name, seconds, timeoutMillis, arrivals, work, cpu).with(it -> {
            it.knee = Steps.always(knee);
            it.fleet = Fleet.of(1);
        });
    }

    /** The same but for what is changed of it. */
    Scenario with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.scenario(this);
    }

    /** The components that another scenario may have otherwise. */
    static final class Draft {
        Steps arrivals;
        List<Mix> mixes;

        @Nullable
        Dependency dependency;

        int retries;
        List<Double> classes;
        Steps knee;

        @Nullable
        Steps drops;

        @Nullable
        Fleet fleet;

        private Draft(Scenario from) {
            arrivals = from.arrivals;
            mixes = from.mixes;
            dependency = from.dependency;
            retries = from.retries;
            classes = from.classes;
            knee = from.knee;
            drops = from.drops;
            fleet = from.fleet;
        }

        private Scenario scenario(Scenario from) {
            return new Scenario(
                    from.name,
                    from.seconds,
                    from.timeoutMillis,
                    arrivals,
                    mixes,
                    from.cpu,
                    dependency,
                    retries,
                    classes,
                    knee,
                    drops,
                    from.backoff,
                    fleet);
        }
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    private static void present(String name, @Nullable Object value) {
        check(value != null, name + " must be given");
    }

    /**
     * The mix of work that arrives from an instant on.
     *
     * @param from in seconds
     * @param work the kinds, whose shares sum to 1
     */
    record Mix(double from, List<Work> work) {
        Mix {
            present("work", work);
            double sum = work.stream().mapToDouble(Work::share).sum();
            if (Math.abs(sum - 1) > 1e-9) {
                throw new IllegalArgumentException("shares must sum to 1, were " + sum);
            }
        }
    }

    /**
     * The station of workers.
     *
     * @param shared whether all that is inside shares the cores, else first come, first served
     * @param cores how many
     * @param speed of each, 1 is full
     * @param sigma contention: speed falls as {@code 1 / (1 + sigma (n-1) + kappa n (n-1))} with n inside (Gunther)
     * @param kappa coherency
     * @param cliff a number inside beyond which it is much slower; null for none
     */
    record Cpu(
            boolean shared,
            Steps cores,
            Steps speed,
            double sigma,
            double kappa,
            @Nullable Cliff cliff) {
        Cpu(boolean shared, Steps cores, Steps speed, double sigma, double kappa) {
            this(shared, cores, speed, sigma, kappa, null);
        }

        /** So many, first come, first served, at full speed. */
        static Cpu workers(double count) {
            return new Cpu(false, Steps.always(count), Steps.always(1), 0, 0);
        }

        /** The work that is done with so many inside at first, to that of a core alone. */
        double done(double inside) {
            double sharing = Math.min(inside, cores.value(0));
            return sharing / (1 + sigma * (inside - 1) + kappa * inside * (inside - 1));
        }

        Cpu {
            present("cores", cores);
            present("speed", speed);
            check(cores.min() >= 1, "cores must be >= 1, was " + cores.min());
            check(speed.min() >= 0, "speed must be >= 0, was " + speed.min());
            check(sigma >= 0 && kappa >= 0, "sigma and kappa must be >= 0, were " + sigma + " and " + kappa);
        }
    }

    /**
     * A fall of the speed: with n inside it is that of {@code edge}, times {@code (edge / n) ^ steepness}; but all together never
     * do less than a twentieth of what they do at the edge.
     *
     * @param back once over the edge, it is slow until so few are inside: the edge itself, or less with hysteresis
     */
    record Cliff(double edge, double steepness, double back) {
        static final double LEAST = 0.05;

        Cliff {
            check(edge >= 1, "edge must be >= 1, was " + edge);
            check(steepness > 0, "steepness must be > 0, was " + steepness);
            check(back > 0 && back <= edge, "back must be > 0 and at most edge, was " + back);
        }
    }

    /**
     * The instances that call the server, each with a limit of its own.
     *
     * @param shares of the requests, one for each instance, which are scaled so that they sum to 1 at each moment
     * @param awayMillis what a call of each instance takes outside of the server
     * @param most how many are let into the server at once, as by a limit of its own; 0 for any number
     * @param tellsLate whether a late call ends as dropped; else as a success, since a server does not know when its callers give up
     */
    record Fleet(List<Steps> shares, List<Double> awayMillis, int most, boolean tellsLate) {
        Fleet {
            present("shares", shares);
            present("awayMillis", awayMillis);
            check(!shares.isEmpty(), "shares must be at least one");
            check(
                    awayMillis.size() == shares.size() && awayMillis.stream().allMatch(millis -> millis >= 0),
                    "awayMillis must be >= 0, one for each instance, were " + awayMillis);
            check(most >= 0, "most must be >= 0, was " + most);
            shares = List.copyOf(shares);
            awayMillis = List.copyOf(awayMillis);
        }

        /** So many that are alike. */
        static Fleet of(int instances) {
            return of(
                    IntStream.range(0, instances).mapToObj(i -> Steps.always(1)).toList());
        }

        /** Of these shares. */
        static Fleet of(List<Steps> shares) {
            return new Fleet(shares, shares.stream().map(share -> 0.0).toList(), 0, false);
        }

        /** The instance at this point of the shares of a moment; {@code point} is from 0 to 1. */
        int at(long nanos, double point) {
            double rest = point
                    * shares.stream().mapToDouble(share -> share.at(nanos)).sum();
            int last = 0;
            for (int i = 0; i < shares.size(); i++) {
                double share = shares.get(i).at(nanos);
                last = share > 0 ? i : last;
                rest -= share;
                if (rest < 0) {
                    return i;
                }
            }
            return last;
        }
    }

    /**
     * A dependency that the service calls.
     *
     * @param meanMillis exponential
     * @param connections how many calls it serves at once; 0 = any number
     * @param slowness by how much calls that begin take longer
     * @param speed of its service, 1 is full
     */
    record Dependency(double meanMillis, int connections, Steps slowness, Steps speed) {
        Dependency {
            present("slowness", slowness);
            present("speed", speed);
            check(meanMillis > 0, "meanMillis must be > 0, was " + meanMillis);
            check(connections >= 0, "connections must be >= 0, was " + connections);
            check(slowness.min() > 0, "slowness must be > 0, was " + slowness.min());
            check(speed.min() >= 0, "speed must be >= 0, was " + speed.min());
        }
    }

    /**
     * Before a caller tries again.
     *
     * @param millis how long the first time; twice and four times as long later
     * @param jitter by which share of that it is shorter or longer, at random
     */
    record Backoff(double millis, double jitter) {
        static final Backoff USUAL = new Backoff(100, 0);

        Backoff {
            check(millis > 0 && millis <= 1e3 * MAX_SECONDS, "millis must be > 0, was " + millis);
            check(jitter >= 0 && jitter <= 1, "jitter must be within 0 and 1, was " + jitter);
        }

        /** The duration, where {@code draw} is within -1 and 1. */
        long nanos(int attempt, double draw) {
            return Math.round(millis * 1e6 * (1 << Math.min(attempt, 2)) * (1 + jitter * draw));
        }
    }

    long nanos() {
        return Math.round(seconds * 1e9);
    }

    long timeoutNanos() {
        return Math.round(timeoutMillis * 1e6);
    }

    /** After how long the caller of such work gives up. */
    long timeoutNanos(Work work) {
        return work.apart() == null ? timeoutNanos() : Math.round(work.apart().timeoutMillis() * 1e6);
    }

    /** True if some of its work holds no worker. */
    boolean waits() {
        return mixes.stream().flatMap(mix -> mix.work().stream()).anyMatch(Work::waits);
    }

    /** The same without the calls that hold no worker; of one mix only. */
    Scenario withoutWaiting() {
        List<Work> rest =
                mixes.get(0).work().stream().filter(work -> !work.waits()).toList();
        double share = rest.stream().mapToDouble(Work::share).sum();
        List<Work> whole =
                rest.stream().map(work -> work.of(work.share() / share)).toList();
        return with(it -> {
            it.arrivals = arrivals.times(share);
            it.mixes = List.of(new Mix(0, whole));
        });
    }

    int cores() {
        return (int) Math.min(knee.value(0), cpu.cores.value(0));
    }

    /** True if the best limit moves, so that none that stands still can be the measure. */
    boolean moves() {
        return !(cpu.cores.constant()
                && cpu.speed.constant()
                && mixes.size() == 1
                && knee.constant()
                && (dependency == null || dependency.slowness.constant() && dependency.speed.constant()));
    }
}
