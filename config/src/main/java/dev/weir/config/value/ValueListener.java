package dev.weir.config.value;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A listener to the values of one key, called by one thread at a time, with the newest value only, once it was started. */
final class ValueListener<T> {
    /** The code of a listener. What it throws is caught. */
    @FunctionalInterface
    interface Target<T> {
        void accept(T value) throws Throwable;
    }

    private final Supplier<T> value;
    private final String name;
    private final Target<? super T> target;
    private final AtomicBoolean busy = new AtomicBoolean(true);
    /* Compared by identity with the value in force. */
    private volatile @Nullable T offered;
    private volatile @Nullable String brokenRule;
    private volatile boolean closed;
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
        closed = true;
    }

    /** Tells the present value, and from now on those that follow. */
    void start() {
        offer(value.get());
        busy.set(false);
        tell();
    }

    /** Tells the values that follow the present one. */
    void startWithNext() {
        taken = value.get();
        offered = taken;
        busy.set(false);
        tell();
    }

    /** Whether there is a value to tell, and no thread is about to. */
    boolean isDue() {
        return isBehind() && !busy.get();
    }

    /*
     * A thread that finds the listener busy leaves it to the other one, which looks again after it:
     *
     *     telling thread                  applying thread
     *       busy = false                    publishes a value
     *       reads the value                 reads busy
     *
     * Each writes before it reads, so at least one of them sees the other's write.
     */
    void tell() {
        while (isBehind() && busy.compareAndSet(false, true)) {
            try {
                offer(value.get());
            } finally {
                busy.set(false);
            }
        }
    }

    private boolean isBehind() {
        return !closed && offered != value.get();
    }

    private void offer(T next) {
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
