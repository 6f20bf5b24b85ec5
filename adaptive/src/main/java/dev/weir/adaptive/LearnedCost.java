package dev.weir.adaptive;

import dev.weir.Request;
import dev.weir.internal.Require;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The costs of calls whose cost is known only when they have ended, such as the tokens of a call to a model: for each class of
 * calls (a model, a route) the mean and the 90th percentile, from which the cost of the next call is estimated.
 *
 * <pre>{@code
 * LearnedCost tokens = LearnedCost.of("tokens", 2000);
 * if (limiter.tryAcquire(tokens.request(Request.ONE, "gpt-large")) instanceof Permit permit) {
 *     Response response = model.call();
 *     permit.settle(response.totalTokens());
 *     tokens.settled("gpt-large", response.totalTokens());
 *     permit.release(Outcome.SUCCESS);
 * }
 * }</pre>
 *
 * <p>Old costs are forgotten by count: each cost that is settled reduces the weight of those before it, by 1/24 by default. The first
 * estimate counts as one settled cost. After costs have doubled, the mean is within 10 % of the new one after 40 calls of the class.
 *
 * <p>A class is any object with {@code equals} and {@code hashCode}. The first classes, 1,000 by default, have costs of their own;
 * all others share one. A class takes about 400 bytes beside its key, and 2,100 at most.
 *
 * <p>Thread-safe; no method blocks. What {@code equals} or {@code hashCode} of a class throws comes to the caller.
 */
public final class LearnedCost {
    /*
     * A new class first takes one of the places, and frees it if another thread was quicker. When only one place is
     * left, a class that is new to two threads may thus find none for one call, which counts among the others then:
     *
     *     A: free 1 -> 0                B: none free: the shared costs
     *     A: puts the class
     *                                   B, next call: finds the class
     */
    private static final String SHARED = "";

    private static final int MAX_TEXT = 256;

    private final String name;
    private final long first;
    private final double keep;
    private final Map<Object, ClassCost> classes = new ConcurrentHashMap<>();
    private final AtomicInteger free;
    private final ClassCost shared;
    /* By the text of the class, until the class is asked for; bounded by the number of classes. */
    private final Map<String, ClassCost> restored = new ConcurrentHashMap<>();

    private LearnedCost(Builder builder) {
        name = builder.name;
        first = builder.first;
        keep = 1 - 1.0 / builder.memory;
        free = new AtomicInteger(builder.classes);
        Optional<RestoredState> before =
                builder.state == null ? Optional.empty() : builder.state.restored(savedName(name));
        before.ifPresent(state -> restore(state, builder.classes));
        ClassCost others = before.map(state -> restored(state, SHARED)).orElse(null);
        shared = others == null ? new ClassCost(first, keep) : others;
        if (builder.state != null) {
            builder.state.include(this);
        }
    }

    /**
     * Costs of up to 1,000 classes, not saved.
     *
     * @param name for saved state
     * @param first the estimate for a class of which nothing was settled, at least 1
     * @throws IllegalArgumentException if {@code name} is blank or {@code first < 1}
     */
    public static LearnedCost of(String name, long first) {
        return builder(name, first).build();
    }

    /**
     * A builder of costs with this name.
     *
     * @param first the estimate for a class of which nothing was settled, at least 1
     * @throws IllegalArgumentException if {@code name} is blank or {@code first < 1}
     */
    public static Builder builder(String name, long first) {
        return new Builder(name, first);
    }

    /** Options of learned costs. Not thread-safe. */
    public static final class Builder {
        private static final int MAX_CLASSES = 1_000_000;
        private static final int MAX_MEMORY = 1_000_000;

        private final String name;
        private final long first;
        private int classes = 1000;
        private int memory = 24;
        private @Nullable SavedState state;

        private Builder(String name, long first) {
            Require.that(!name.isBlank(), "name must not be blank", "'" + name + "'");
            this.name = name;
            this.first = within("first", first, 1, Long.MAX_VALUE);
        }

        private static long within(String what, long value, long min, long max) {
            String most = max == Long.MAX_VALUE ? "" : " and <= " + max;
            Require.that(value >= min && value <= max, what + " must be >= " + min + most, value);
            return value;
        }

        /**
         * Sets how many classes have costs of their own, from 0 to 1,000,000. All others share one. Default: 1,000.
         *
         * @throws IllegalArgumentException if it is not within these
         */
        public Builder classes(int max) {
            classes = (int) within("max", max, 0, MAX_CLASSES);
            return this;
        }

        /**
         * Sets how many settled costs of a class count: each new one reduces the weight of those before it by {@code 1 / costs},
         * from 1 (only the last one counts) to 1,000,000. Default: 24.
         *
         * @throws IllegalArgumentException if it is not within these
         */
        public Builder memory(int costs) {
            memory = (int) within("costs", costs, 1, MAX_MEMORY);
            return this;
        }

        /**
         * Starts from what was saved under this name, with less weight the longer ago that is, and at least that of the first
         * estimate; and includes these costs in each save from now on. A class is found again by its {@code toString()}; one of
         * more than 256 characters is not saved.
         */
        public Builder restoring(SavedState saved) {
            state = Objects.requireNonNull(saved, "saved");
            return this;
        }

        /** Builds the costs. */
        public LearnedCost build() {
            return new LearnedCost(this);
        }
    }

    /**
     * The mean of what calls of this class have cost, at least 1: what a call should be charged before its cost is known, so that
     * the differences add up to nothing.
     */
    public long estimate(Object calls) {
        return Math.max(1, of(calls).mean());
    }

    /**
     * The cost that 9 of 10 calls of this class do not exceed, at least 1, with an error of 7 %. For a limit that must not be
     * exceeded by calls in flight: it is less used.
     */
    public long high(Object calls) {
        return Math.max(1, of(calls).high());
    }

    /**
     * The same request with the estimate for a call of this class as its cost, so that its permit can be settled. If the estimate may
     * exceed the burst of the limit, let that be {@code Settled.once()}: what is refused as {@code NEVER} is never
     * settled, and its estimate would not fall again.
     *
     * @see Request#settled
     */
    public Request request(Request of, Object calls) {
        return of.settled(estimate(calls));
    }

    /**
     * Adds the cost of a call of this class that has ended.
     *
     * @param actual what it has cost, at least 0
     * @throws IllegalArgumentException if {@code actual < 0}
     */
    public void settled(Object calls, long actual) {
        Require.that(actual >= 0, "actual must be >= 0", actual);
        of(calls).settled(actual);
    }

    private ClassCost of(Object calls) {
        ClassCost known = classes.get(Objects.requireNonNull(calls, "calls"));
        return known == null ? added(calls) : known;
    }

    private ClassCost added(Object calls) {
        if (free.getAndUpdate(places -> Math.max(0, places - 1)) == 0) {
            return shared;
        }
        String text = restored.isEmpty() ? SHARED : text(calls);
        ClassCost before = restored.get(text);
        ClassCost fresh = before == null ? new ClassCost(first, keep) : before;
        ClassCost quicker = null;
        boolean isPut = false;
        try {
            quicker = classes.putIfAbsent(calls, fresh);
            isPut = quicker == null;
        } finally {
            if (!isPut) {
                free.getAndIncrement();
            }
        }
        restored.remove(text);
        return quicker == null ? fresh : quicker;
    }

    /* Empty, as that of the shared costs, if it cannot be saved. */
    private static String text(Object calls) {
        try {
            String text = calls.toString();
            return text == null || text.length() > MAX_TEXT ? SHARED : text;
        } catch (Throwable t) {
            return SHARED;
        }
    }

    // ---- Saved state ----

    /** The name under which {@link SavedState} has what was learned: no limiter is called so. */
    public String savedName() {
        return savedName(name);
    }

    private static String savedName(String name) {
        return "costs of " + name;
    }

    /** The figures to save: for each class its mean, its 90th percentile and their weight. */
    public Map<String, Double> learned() {
        Map<String, Double> learned = new HashMap<>();
        restored.entrySet().stream() // no more in all than are restored: classes of now before those of long ago
                .limit(free.get())
                .forEach(each -> each.getValue().saveTo(learned, each.getKey()));
        classes.forEach((calls, cost) -> {
            String text = text(calls);
            if (!text.isEmpty()) {
                cost.saveTo(learned, text);
            }
        });
        shared.saveTo(learned, SHARED);
        return learned;
    }

    private void restore(RestoredState state, int max) {
        for (String key : new TreeSet<>(state.learned().keySet())) {
            String text = key.startsWith(ClassCost.MEAN) ? key.substring(ClassCost.MEAN.length()) : SHARED;
            ClassCost cost = text.isEmpty() ? null : restored(state, text);
            if (cost != null && restored.size() < max) {
                restored.put(text, cost);
            }
        }
    }

    private @Nullable ClassCost restored(RestoredState state, String text) {
        return ClassCost.restored(state.learned(), text, state.trust(), keep);
    }

    @Override
    public String toString() {
        return "LearnedCost[" + name + ", " + classes.size() + " classes]";
    }
}
