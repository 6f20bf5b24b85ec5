package dev.weir.config.value;

import dev.weir.named.plan.Problem;
import dev.weir.spi.Registration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value of the application that follows a key of the document: the last good value, or the default while the document in
 * force does not have the key. Made by {@link ConfigValues}. Thread-safe.
 *
 * <p>Never null, never a value that was refused, and never an older value after a newer one. A value that cannot be converted or
 * breaks its rule is reported and changes nothing. A document without the key, once it is in force, brings the default back.
 *
 * @param <T> the type of the value
 */
public final class ConfigValue<T> implements Supplier<T> {
    /*
     * Each value follows a document by one CAS. Nothing is locked while a conversion, a check or a listener runs. A value that is
     * created meanwhile:
     *
     *     creator                         applying thread
     *       adds itself to the store        writes the store's document
     *       reads the store's document      reads the values that the store knows
     *       follows it                      makes them follow it
     *
     * Each writes before it reads, so at least one of them makes the value follow the new document. If both do, the loser's CAS
     * fails, and it finds that the state is no longer older.
     */
    private final String key;
    private final Function<String, ? extends T> conversion;
    private final T orElse;
    private final Set<? super ConfigValue<T>> listenedTo;
    private final List<ValueListener<T>> listeners = new CopyOnWriteArrayList<>();
    private final AtomicReference<State<T>> state;

    /** With the set that this is in while it has listeners. */
    ConfigValue(
            String key, Function<String, ? extends T> conversion, T orElse, Set<? super ConfigValue<T>> listenedTo) {
        if (Objects.requireNonNull(key, "key").isEmpty()) {
            throw new IllegalArgumentException("key must not be empty");
        }
        this.key = key;
        this.conversion = conversion;
        this.orElse = orElse;
        this.listenedTo = listenedTo;
        this.state = new AtomicReference<>(new State<>(-1, null, orElse, null));
    }

    /** The value in force. One volatile read; never blocks. */
    @Override
    public T get() {
        return state().value();
    }

    /** The key in the section {@code values} of the document. */
    public String key() {
        return key;
    }

    /**
     * Calls the listener after each change to a value that is not equal to the one before; not for the present value. {@link
     * #get} returns the new value, or a newer one, by then. The listener is called by one thread at a time, in the order of the
     * versions, without a lock: by a thread that the registry owns, or by this one if the value changes at this moment. If
     * versions come faster than it returns, it is called with the newest only. While it does not return, others are called by
     * other threads. What it throws is reported by class, without the message, which may show a secret; an {@code
     * IllegalArgumentException} means that it refuses the value and has changed nothing, so it is not called if the value it
     * took before returns.
     *
     * <p>The value and the listener stay reachable until the registration is closed; a call that runs at that time is not
     * interrupted.
     */
    public Registration onChange(Consumer<? super T> listener) {
        Objects.requireNonNull(listener, "listener");
        ValueListener<T> added = new ValueListener<>(this, "its listener", listener::accept);
        added.skip();
        return listen(added);
    }

    Registration listen(ValueListener<T> listener) {
        synchronized (listeners) {
            listeners.add(listener);
            listenedTo.add(this);
        }
        // The value may have changed before the listener was in the list.
        listener.tell();
        return () -> {
            listener.close();
            synchronized (listeners) {
                listeners.remove(listener);
                if (listeners.isEmpty()) {
                    listenedTo.remove(this);
                }
            }
        };
    }

    List<ValueListener<T>> listeners() {
        return listeners;
    }

    Optional<Problem> problem(ValueDocument document) {
        return Optional.ofNullable(state().brokenRule()).map(rule -> problem(document, rule));
    }

    Problem problem(ValueDocument document, String rule) {
        return new Problem(document.version(), 0, 0, "", "values." + key, rule, "");
    }

    private State<T> state() {
        return Objects.requireNonNull(state.get());
    }

    /** Takes over what the document says, unless that is known. */
    void follow(ValueDocument document) {
        State<T> from = state();
        while (from.sequence() < document.sequence() && !state.compareAndSet(from, next(from, document))) {
            from = state();
        }
    }

    private State<T> next(State<T> from, ValueDocument document) {
        String text = document.text(key);
        if (Objects.equals(text, from.text())) {
            return new State<>(document.sequence(), text, from.value(), from.brokenRule());
        }
        try {
            T value = text == null ? orElse : conversion.apply(text);
            // An equal value is the same object, by which listeners know that there is nothing to tell.
            T next = value.equals(from.value()) ? from.value() : value;
            return new State<>(document.sequence(), text, next, null);
        } catch (Throwable t) {
            return new State<>(document.sequence(), text, from.value(), rule(t));
        }
    }

    private static String rule(Throwable thrown) {
        if (!(thrown instanceof IllegalArgumentException)) {
            return "must be convertible, but its type threw "
                    + thrown.getClass().getName();
        }
        return Objects.requireNonNullElse(thrown.getMessage(), "must be convertible");
    }

    /** The key; not the value, which may be a secret. */
    @Override
    public String toString() {
        return "ConfigValue[" + key() + "]";
    }

    /** The state of a value under one document; if its text breaks a rule, the value is the last good one. */
    private record State<T>(
            long sequence,
            @Nullable String text,
            T value,
            @Nullable String brokenRule) {}
}
