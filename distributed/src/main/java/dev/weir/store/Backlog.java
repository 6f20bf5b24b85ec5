package dev.weir.store;

import dev.weir.store.internal.StoreCommand;
import dev.weir.store.internal.StoreLink;
import java.util.Collection;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The grants that one node of the store has still to count, added up by key. The node is told of a few keys at a time, and of each
 * grant once. Thread-safe.
 */
final class Backlog {
    /*
     * The thread that raises `work` from 0 sends for all: so answers that come at once are not nested, and `rest` has one user.
     *
     *     sender                          answer
     *     finds the window full
     *                                     onTheWay--
     *                                     work: 1 -> 2, returns
     *     work: 2 -> 1, looks again
     */

    /** So many charges are on their way at a time. */
    static final int WINDOW = 256;

    /** The source of what a backlog sends. */
    interface Source {
        /**
         * Takes what there is of a key; null if that is nothing.
         *
         * @param ended gets the answer; null = there is none in time
         */
        @Nullable
        StoreCommand<Reply> taken(UnreportedGrants grants, Consumer<@Nullable Reply> ended);
    }

    private final ConcurrentHashMap<Optional<Object>, UnreportedGrants> keys = new ConcurrentHashMap<>();
    private final StoreLink link;
    private final Source source;
    private final Supplier<? extends CompletionStage<?>> ping;
    private volatile int window;
    private final AtomicInteger onTheWay = new AtomicInteger();
    private final AtomicInteger work = new AtomicInteger();
    private final AtomicBoolean pinging = new AtomicBoolean();
    private volatile boolean wanted;
    /* A charge had no answer: nothing more is sent until there is one. */
    private volatile boolean stopped;
    private @Nullable Iterator<UnreportedGrants> rest;

    /** {@code ping} sends what a node that answers does answer. */
    Backlog(StoreLink link, Source source, Supplier<? extends CompletionStage<?>> ping, int window) {
        this.link = link;
        this.source = source;
        this.ping = ping;
        this.window = window;
    }

    boolean isEmpty() {
        return keys.isEmpty();
    }

    long size() {
        return keys.mappingCount();
    }

    Collection<UnreportedGrants> values() {
        return keys.values();
    }

    /** Finds the grants of a key; null if there are none. */
    @Nullable
    UnreportedGrants find(@Nullable Object key) {
        return keys.get(Optional.ofNullable(key));
    }

    /** The grants of a key, made if there are none. */
    UnreportedGrants get(@Nullable Object key, Function<@Nullable Object, UnreportedGrants> made) {
        return keys.computeIfAbsent(Optional.ofNullable(key), absent -> made.apply(key));
    }

    void remove(UnreportedGrants grants) {
        keys.remove(Optional.ofNullable(grants.key), grants);
    }

    void removeIf(Predicate<UnreportedGrants> isOld) {
        boolean unused = keys.values().removeIf(isOld);
    }

    void tell() {
        stopped = false;
        wanted = true;
        work();
    }

    /** Tells all there is now, with so many charges on their way at a time. */
    void tell(int most) {
        window = most;
        tell();
    }

    /** Tells all there is now, if the link is up; after a failure not before the node has answered a ping. */
    void tellIfUp() {
        if (link.isUp() && !isEmpty()) {
            if (link.isHealthy() && !stopped) {
                tell();
            } else if (pinging.compareAndSet(false, true) && !link.sendAnyway(new Ping())) {
                pinging.set(false);
            }
        }
    }

    private void work() {
        if (work.getAndIncrement() != 0) {
            return;
        }
        for (int seen = 1; seen != 0; seen = work.addAndGet(-seen)) {
            sendSome();
        }
    }

    private void sendSome() {
        while (onTheWay.get() < window) {
            UnreportedGrants next = next();
            if (next == null) {
                return;
            }
            send(next);
        }
    }

    private @Nullable UnreportedGrants next() {
        if (stopped) {
            rest = null;
            wanted = false;
        } else if (rest == null && wanted) {
            wanted = false;
            rest = keys.values().iterator();
        }
        if (rest == null || !rest.hasNext()) {
            rest = null;
            return null;
        }
        return rest.next();
    }

    private void send(UnreportedGrants grants) {
        remove(grants);
        StoreCommand<Reply> charge = source.taken(grants, reply -> ended(reply != null));
        if (charge == null) {
            return;
        }
        onTheWay.incrementAndGet();
        if (!link.sendAnyway(charge)) {
            charge.notSent();
        }
    }

    private void ended(boolean isAnswered) {
        if (!isAnswered) {
            stopped = true;
        }
        onTheWay.decrementAndGet();
        work();
    }

    /** A command that finds out whether charges would be answered. */
    private final class Ping implements StoreCommand<Boolean> {
        @Override
        public CompletionStage<Boolean> send() {
            return ping.get().thenApply(answer -> true);
        }

        @Override
        public void answered(Boolean answer) {
            pinging.set(false);
            tell();
        }

        @Override
        public void failed() {
            pinging.set(false);
        }
    }
}
