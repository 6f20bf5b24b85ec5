package dev.weir.config.value;

import dev.weir.named.delivery.Delivery;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A listener to the values of one key, called by one thread at a time, with the newest value only. */
final class ValueListener<T> {
    @FunctionalInterface
    interface Target<T> {
        void accept(T value) throws Throwable;
    }

    private final Supplier<T> value;
    private final String name;
    private final Target<? super T> target;
    private final Delivery<Boolean> delivery = Delivery.ofNewest(any -> catchUp(), new AtomicLong());
    /* Compared by identity with the value in force. */
    private volatile @Nullable T offered;
    private volatile @Nullable String brokenRule;
    /* Belongs to the thread that delivers. */
    private @Nullable T taken;

    ValueListener(Supplier<T> value, String name, Target<? super T> target) {
        this.value = value;
        this.name = name;
        this.target = target;
    }

    String name() {
        return name;
    }

    /** The rule that the last value broke; empty if it was taken. */
    Optional<String> brokenRule() {
        return Optional.ofNullable(brokenRule);
    }

    void close() {
        delivery.close();
    }

    /** Has only the values told that follow the present one. Before the first turn. */
    void skip() {
        taken = value.get();
        offered = taken;
    }

    /** The turn to tell it the newest value; null if it knows that, or another thread is about to tell it. */
    @Nullable
    Runnable turn() {
        return offered == value.get() ? null : delivery.add(true);
    }

    /** Tells it the newest value, unless another thread is about to. */
    void tell() {
        Runnable turn = turn();
        if (turn != null) {
            turn.run();
        }
    }

    private void catchUp() {
        T next = value.get();
        if (offered == next) {
            return;
        }
        offered = next;
        try {
            if (!next.equals(taken)) {
                target.accept(next);
                taken = next;
            }
            brokenRule = null;
        } catch (Throwable t) {
            if (!(t instanceof IllegalArgumentException)) {
                taken = null;
            }
            brokenRule = "must be accepted by " + name + ", which threw "
                    + t.getClass().getName();
        }
    }
}
