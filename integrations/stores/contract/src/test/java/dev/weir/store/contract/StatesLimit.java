package dev.weir.store.contract;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import dev.weir.store.rates.StateRates;
import dev.weir.store.state.Operation;
import dev.weir.store.state.StateRate;
import dev.weir.store.state.Step;
import dev.weir.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A limit over states in a map, in virtual time. */
final class StatesLimit implements StoreLimit {
    private static final long START = RateContract.START;

    private final States states;
    private final VirtualTime time;
    private final String name;
    private final StateRate rate;

    /** Steps that are stored when the answer of the call is read: nothing is found of those before it. */
    private final @Nullable List<Runnable> late;

    StatesLimit(States states, VirtualTime time, String name, StrategySpec spec, boolean isLate) {
        this.states = states;
        this.time = time;
        this.name = name;
        this.rate = StateRates.of(spec);
        this.late = isLate ? new ArrayList<>() : null;
    }

    private CompletionStage<Reply> step(Operation operation, @Nullable Object key, long permits, long grantedAt) {
        long now = START + time.read() / 1_000;
        String id = name + (key == null ? "" : key.getClass().getName() + key);
        Step step = rate.step(states.state(id, now), operation, permits, grantedAt, now);
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        if (late == null) {
            answer.complete(states.apply(step, id, now));
            return answer;
        }
        late.add(() -> answer.complete(states.apply(step, id, now)));
        return answer;
    }

    void flush() {
        if (late != null) {
            late.forEach(Runnable::run);
            late.clear();
        }
    }

    @Override
    public CompletionStage<Reply> acquire(@Nullable Object key, long permits) {
        return step(Operation.ACQUIRE, key, permits, 0);
    }

    @Override
    public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
        return step(Operation.ACQUIRE_UP_TO, key, permits, 0);
    }

    @Override
    public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
        return step(Operation.CHARGE, key, permits, 0);
    }

    @Override
    public CompletionStage<Reply> refund(@Nullable Object key, long permits, long grantedAt) {
        return step(Operation.REFUND, key, permits, grantedAt);
    }

    @Override
    public boolean countsCost() {
        return rate.countsCost();
    }

    @Override
    public boolean allowsBatches() {
        return rate.allowsBatches();
    }

    @Override
    public long refilled(long nanos) {
        return rate.refilled(nanos);
    }

    @Override
    public CompletionStage<?> ping() {
        return CompletableFuture.completedFuture("PONG");
    }
}
