package dev.weir.store.state;

import dev.weir.Ticker;
import dev.weir.store.Reply;
import dev.weir.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Instances over a simulated store, and what they are granted, seen from outside: by when the callers have their replies, and by the
 * clock of the store.
 */
final class StateModel {
    private static final long SECOND = 1_000_000;
    private static final long MOST_DELAY = 4_000_000;

    /** What is used of one key, in permits times a million. */
    private static final class Use {
        private long level;
        private long at;
    }

    private final SplittableRandom random;
    private final long permits;
    private final long burst;
    private final Function<StateStore, StateStore> twin;
    private final VirtualTime time;
    private final SimulatedStore store;
    private final List<SimulatedAccess> ways = new ArrayList<>();
    private final List<StateLimit> limits = new ArrayList<>();
    private final Map<String, Use> uses = new HashMap<>();
    private final Map<String, List<Reply>> grants = new HashMap<>();
    private final StateRate rate;
    private long slack;
    private long worst = Long.MIN_VALUE;
    private long charged;
    private long inDoubt;
    private long contended;
    private int open;

    StateModel(SplittableRandom random, long permits, long burst, Function<StateStore, StateStore> twin) {
        this.random = random;
        this.permits = permits;
        this.burst = burst;
        this.twin = twin;
        this.time = new VirtualTime(random.nextLong());
        this.store = new SimulatedStore(time);
        this.rate = StateLimitTest.rate(permits, burst);
        store.start(1_000_000_000_000_000L + random.nextLong(1L << 49));
    }

    /** Starts instances; {@code wild}: with tickers that stand still or run fast. */
    void start(int instances, boolean wild) {
        long delays = 2 * 2 * MOST_DELAY / 1_000;
        slack = permits * (wild ? 2 * SECOND + delays : delays);
        for (int i = 0; i < instances; i++) {
            SimulatedAccess way = new SimulatedAccess(store, time);
            ways.add(way);
            heal(way);
            limits.add(limit(twin.apply(way), ticker(wild)));
        }
    }

    private StateLimit limit(StateStore way, Ticker ticker) {
        SplittableRandom own = random.split();
        return StateLimit.of(way, rate, new ValueChains.Timing(ticker, time, own::nextLong));
    }

    private Ticker ticker(boolean wild) {
        long origin = random.nextLong();
        long halves = wild ? random.nextInt(5) : 2;
        long start = time.read();
        return () -> origin + (time.read() - start) / 2 * halves;
    }

    List<StateLimit> limits() {
        return limits;
    }

    private StateLimit any() {
        return limits.get(random.nextInt(limits.size()));
    }

    /** Some instance is asked for some permits. */
    void ask(String key) {
        long wanted = random.nextInt(8) == 0 ? 1 + random.nextInt(10) : 1;
        boolean isUpTo = random.nextInt(10) == 0;
        StateLimit limit = any();
        end(isUpTo ? limit.acquireUpTo(key, wanted) : limit.acquire(key, wanted), wanted, reply -> granted(key, reply));
    }

    /** Some instance is told of some permits that were granted. */
    void charge(String key, long wanted) {
        end(any().charge(key, wanted), wanted, reply -> charged += wanted);
    }

    private void end(CompletionStage<Reply> stage, long wanted, java.util.function.Consumer<Reply> decided) {
        open++;
        CompletionStage<?> unused = stage.whenComplete((reply, thrown) -> {
            open--;
            if (thrown == null) {
                decided.accept(reply);
            } else if (cause(thrown) instanceof ContentionException) {
                contended++;
            } else {
                inDoubt += wanted;
            }
        });
    }

    private static @Nullable Throwable cause(Throwable thrown) {
        return thrown instanceof CompletionException ? thrown.getCause() : thrown;
    }

    private void granted(String key, Reply reply) {
        grants.computeIfAbsent(key, each -> new ArrayList<>()).add(reply);
        Use use = uses.computeIfAbsent(key, each -> new Use());
        long now = store.steadyMicros();
        use.level = Math.max(0, use.level - (now - use.at) * permits) + reply.granted() * SECOND;
        use.at = now;
        worst = Math.max(worst, use.level - burst * SECOND - slack);
    }

    /** By how much the bound was exceeded, in permits times a million; 0 or less = it held. */
    long worst() {
        return worst;
    }

    /** The same by the instants that the replies tell: these are known exactly, whatever is on its way. */
    long worstByInstants() {
        long most = Long.MIN_VALUE;
        for (List<Reply> replies : grants.values()) {
            replies.sort(Comparator.comparingLong(Reply::at));
            long level = 0;
            long at = replies.get(0).at();
            for (Reply reply : replies) {
                level = Math.max(0, level - (reply.at() - at) * permits) + reply.granted() * SECOND;
                at = reply.at();
                most = Math.max(most, level - burst * SECOND);
            }
        }
        return most;
    }

    long charged() {
        return charged;
    }

    long inDoubt() {
        return inDoubt;
    }

    long contended() {
        return contended;
    }

    /** What the states say is used now, of all keys. */
    long used() {
        long used = 0;
        for (int i = 0; i < 2; i++) {
            byte[] state = store.state("weir:limit:test:key " + i);
            StateStep step = rate.step(state, Operation.ACQUIRE_UP_TO, 0, 0, store.micros());
            used += burst - step.reply().remaining();
        }
        return used;
    }

    /** Something breaks, or is repaired. */
    void fault() {
        SimulatedAccess way = ways.get(random.nextInt(ways.size()));
        switch (random.nextInt(6)) {
            case 0 -> way.answersLost = true;
            case 1 -> way.failing = true;
            case 2 -> way.throwing = true;
            default -> heal(way);
        }
    }

    private void heal(SimulatedAccess way) {
        way.answersLost = false;
        way.failing = false;
        way.throwing = false;
        long most = 1 + random.nextLong(MOST_DELAY);
        way.there = () -> random.nextLong(most);
        way.back = () -> random.nextLong(most);
    }

    /** All instances are as near to the store. */
    void near(long nanos) {
        ways.forEach(way -> move(way, nanos));
    }

    private void move(SimulatedAccess way, long nanos) {
        way.there = () -> nanos + random.nextLong(nanos / 3);
        way.back = () -> nanos + random.nextLong(nanos / 3);
    }

    /** One of them is so far from the store. */
    void far(int instance, long nanos) {
        move(ways.get(instance), nanos);
    }

    /** The clock of the store jumps. */
    void jump() {
        long micros = random.nextLong(-5 * SECOND, 5 * SECOND);
        store.jump(micros);
        if (micros > 0) {
            slack += Math.min(burst * SECOND, micros * permits);
        }
    }

    void pass(long nanos) {
        time.advance(nanos);
    }

    /** Repairs all; returns how many calls have no answer after a second. */
    int quiet() {
        ways.forEach(this::heal);
        pass(1_000_000_000L);
        return open;
    }
}
