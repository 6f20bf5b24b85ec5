package dev.weir.config.value;

import dev.weir.config.document.Problem;
import dev.weir.spi.Registration;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
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
     * A document is first staged for all values, then published for each by one CAS, then told. Nothing is locked while a
     * conversion, a check or a listener runs. A value that is created meanwhile:
     *
     *     creator                         applying thread
     *       adds itself to the store        stages the values that the store knows
     *       reads the store's document      writes the store's document, publishes
     *       stages and publishes it         stages and publishes what the store knows now
     *
     * Each writes before it reads, so at least one of them publishes the new document. If both publish, the loser's CAS fails,
     * and it stages again on the state that it finds; a document that is not newer than that state changes nothing.
     */
    private static final VarHandle STATE = state();

    private final Lookup<T> lookup;
    private final T orElse;
    private final Set<? super ConfigValue<T>> listenedTo;
    private final List<ValueListener<T>> listeners = new CopyOnWriteArrayList<>();
    private volatile State<T> state;

    /** With the set that this is in while it has listeners. */
    ConfigValue(Lookup<T> lookup, T orElse, Set<? super ConfigValue<T>> listenedTo) {
        this.lookup = lookup;
        this.orElse = orElse;
        this.listenedTo = listenedTo;
        this.state = new State<>(-1, null, orElse, null);
    }

    private static VarHandle state() {
        try {
            return MethodHandles.lookup().findVarHandle(ConfigValue.class, "state", State.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The value in force. One volatile read; never blocks. */
    @Override
    public T get() {
        return state.value();
    }

    /** The key in the section {@code values} of the document; the prefix of the keys if the value is a group. */
    public String key() {
        return lookup.key();
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
        return Optional.ofNullable(state.problem())
                .map(broken -> problem(document, broken.key(), Objects.requireNonNull(broken.getMessage())));
    }

    Problem problem(ValueDocument document, String rule) {
        return problem(document, key(), rule);
    }

    private static Problem problem(ValueDocument document, String key, String rule) {
        return new Problem(document.version(), 0, 0, "", "values." + key, rule, "");
    }

    boolean isBefore(ValueDocument document) {
        return state.sequence() < document.sequence();
    }

    /** What the document means for this value, not yet in force. */
    Staged<T> stage(ValueDocument document) {
        State<T> from = state;
        return new Staged<>(this, document, from, from.sequence() < document.sequence() ? next(from, document) : from);
    }

    private State<T> next(State<T> from, ValueDocument document) {
        Object texts = lookup.texts().apply(document);
        if (texts == Lookup.AS_BEFORE || Objects.equals(texts, from.texts())) {
            return from.at(document.sequence());
        }
        try {
            T value = texts == null ? orElse : lookup.value(texts);
            // An equal value is the same object, by which listeners know that there is nothing to tell.
            T next = value.equals(from.value()) ? from.value() : value;
            return new State<>(document.sequence(), texts, next, null);
        } catch (Throwable t) {
            return new State<>(document.sequence(), texts, from.value(), Lookup.Broken.of(key(), t));
        }
    }

    /** The key; not the value, which may be a secret. */
    @Override
    public String toString() {
        return "ConfigValue[" + key() + "]";
    }

    /**
     * The state of a value under one document.
     *
     * @param sequence of the document
     * @param texts in the document, as the lookup of the value found them; null = none
     * @param value in force: of this document, or the last good one if this document's is bad
     * @param problem the key and the rule that is broken there; null = none
     */
    private record State<T>(long sequence, @Nullable Object texts, T value, Lookup.@Nullable Broken problem) {
        State<T> at(long laterSequence) {
            return new State<>(laterSequence, texts, value, problem);
        }
    }

    /** A new state of a value, to be published in place of the one that it was made from. */
    record Staged<T>(ConfigValue<T> value, ValueDocument document, State<T> from, State<T> to) {
        void publish() {
            Staged<T> staged = this;
            while (!STATE.compareAndSet(value, staged.from, staged.to)) {
                staged = value.stage(document);
            }
        }
    }
}
