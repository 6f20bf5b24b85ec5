package dev.weir.store.contract;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Several limits at once. */
final class AllModel implements Model {
    private final List<Model> limits;
    private @Nullable Model refused;

    AllModel(List<Model> limits) {
        this.limits = limits;
    }

    @Override
    public void moveTo(long now) {
        limits.forEach(limit -> limit.moveTo(now));
    }

    @Override
    public long room() {
        return limits.stream().mapToLong(Model::room).min().orElseThrow();
    }

    @Override
    public long oneByOne() {
        return limits.stream().mapToLong(Model::oneByOne).min().orElseThrow();
    }

    @Override
    public long waitFor(long permits) {
        return limits.stream().mapToLong(limit -> limit.waitFor(permits)).max().orElseThrow();
    }

    @Override
    public void take(long permits) {
        limits.forEach(limit -> limit.take(permits));
    }

    @Override
    public long reset() {
        return decided().reset();
    }

    @Override
    public long largest() {
        return limits.stream().mapToLong(Model::largest).min().orElseThrow();
    }

    @Override
    public Decision answer(int operation, long permits, long now) {
        refused = null;
        Decision answer = Model.super.answer(operation, permits, now);
        if (answer.retry() < 0) {
            refused = limits.stream()
                    .filter(limit -> permits > limit.largest())
                    .findFirst()
                    .orElseThrow();
        } else if (answer.granted() == 0 && answer.retry() > 0) {
            long wanted = operation == Decision.ACQUIRE ? permits : 1;
            refused = first(Comparator.comparingLong((Model limit) -> -limit.waitFor(wanted)));
        }
        return new Decision(answer.granted(), answer.remaining(), limit(), reset(), answer.retry());
    }

    @Override
    public long limit() {
        return decided().limit();
    }

    /** The one with the longest wait, or with the fewest permits left. */
    private Model decided() {
        return refused != null ? refused : first(Comparator.comparingLong(Model::room));
    }

    private Model first(Comparator<Model> order) {
        return limits.stream().min(order).orElseThrow();
    }
}
