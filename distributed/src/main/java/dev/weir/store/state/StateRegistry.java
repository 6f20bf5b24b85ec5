package dev.weir.store.state;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.internal.Require;
import dev.weir.share.ShareRegistry;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The instances of a service, and their entries, in any {@link StateStore}: a value for all members, and one for each entry. A member
 * renews a lease by the clock of the store.
 *
 * <p>It is as consistent as the store. If that loses its last replacements, or all of them, the same holds as of a Redis that does so:
 * a sum may be exceeded until all instances have read and renewed again. A clock of the store that jumps ahead ends leases early, by as
 * much as it jumps.
 *
 * <p>A store tells nothing by itself: while there are watches, the entries and members are read four times in a lease, but no more often
 * than each 20 ms and no more rarely than each second.
 *
 * <p>Thread-safe. A request is given up after a lease, but no sooner than a second and no later than three; none is repeated. Watches call
 * their actions on threads of the store: an action must not block.
 */
public final class StateRegistry implements ShareRegistry {
    /** So many others have replaced the members, one after the other, before a renewal fails. */
    private static final int MOST_LOSSES = 64;

    private static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(3);
    private static final long SHORTEST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_POLL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int POLLS = 4;

    private final StateStore store;
    private final String service;
    private final String instance;
    private final Duration lease;
    private final Duration timeout;
    private final String members;
    private final StateNames names;
    private final String token = UUID.randomUUID().toString();
    private final StateWatch watch;
    private final AtomicBoolean closed = new AtomicBoolean();

    private StateRegistry(StateStore store, String service, String instance, Duration lease, Alarm alarm) {
        this.store = Objects.requireNonNull(store, "store");
        this.service = service;
        this.instance = ShareRegistry.name("instance", instance);
        this.lease = lease;
        this.timeout = within(lease, SHORTEST_TIMEOUT, LONGEST_TIMEOUT);
        this.members = new StateNames("members", service).of("");
        this.names = new StateNames("entry", service);
        long poll = Math.max(SHORTEST_POLL_NANOS, Math.min(LONGEST_POLL_NANOS, lease.toNanos() / POLLS));
        this.watch = new StateWatch(store, members, names::of, alarm, poll);
    }

    private static Duration within(Duration value, Duration least, Duration most) {
        return value.compareTo(least) < 0 ? least : value.compareTo(most) > 0 ? most : value;
    }

    /**
     * A registry of an instance.
     *
     * @param store stays open when the registry is closed
     * @param service instances of the same service see each other; not blank
     * @param instance its id, a {@link ShareRegistry#name}
     * @param lease how long it stays a member without a renewal
     * @throws IllegalArgumentException if the service is blank, the instance is no name, or the lease is not at least 100 ms and at most
     *     an hour
     */
    public static StateRegistry of(StateStore store, String service, String instance, Duration lease) {
        return of(store, service, instance, lease, Alarm.system());
    }

    static StateRegistry of(StateStore store, String service, String instance, Duration lease, Alarm alarm) {
        if (service.isBlank()) {
            throw new IllegalArgumentException("service must not be blank");
        }
        boolean isInRange = lease.toMillis() >= 100 && lease.compareTo(Duration.ofHours(1)) <= 0;
        Require.that(isInRange, "lease must be >= 100 ms and <= 1 h", lease);
        return new StateRegistry(store, service, instance, lease, alarm);
    }

    @Override
    public String instance() {
        return instance;
    }

    private Stored answer(CompletionStage<List<Stored>> stage) throws IOException, InterruptedException {
        try {
            List<Stored> answers = stage.toCompletableFuture().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            return answers.get(0);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the store of the service " + service + " did not answer", e);
        }
    }

    private Stored stored(String name) throws IOException, InterruptedException {
        return answer(store.read(List.of(name)));
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new IllegalStateException("the registry of the service " + service + " is closed");
        }
    }

    /* The clock was read after the call began, so the lease ends no sooner than promised. */
    @Override
    public Duration renew() throws IOException, InterruptedException {
        checkOpen();
        long micros = TimeUnit.NANOSECONDS.toMicros(lease.toNanos());
        Stored last = stored(members);
        for (int i = 0; i < MOST_LOSSES; i++) {
            Members present = Members.of(last);
            String holder = present.token(instance);
            if (holder != null && !holder.equals(token)) {
                throw new IllegalStateException("instance " + instance + " is a member already");
            }
            last = replaceMembers(last, present.with(instance, token, last.atMicros() + micros));
            if (last.isReplaced()) {
                return lease;
            }
        }
        throw new IOException("others replaced the members of " + service + " " + MOST_LOSSES + " times in a row");
    }

    private Stored replaceMembers(Stored last, Members next) throws IOException, InterruptedException {
        return answer(
                store.replace(List.of(new Replacement(members, last.version(), next.bytes(), 0, Replacement.FOREVER))));
    }

    /* One after the other: a store need not read two names at the same moment. */
    @Override
    public View read(String entry) throws IOException, InterruptedException {
        ShareRegistry.name("entry", entry);
        checkOpen();
        Stored found = stored(names.of(entry));
        List<String> ids = Members.of(stored(members)).ids();
        byte[] state = found.state();
        return new View(ids, state == null ? "" : new String(state, UTF_8), found.version());
    }

    @Override
    public boolean replace(String entry, long version, String value) throws IOException, InterruptedException {
        ShareRegistry.name("entry", entry);
        byte[] state = value.getBytes(UTF_8);
        checkOpen();
        return answer(store.replace(List.of(new Replacement(names.of(entry), version, state, 0, Replacement.FOREVER))))
                .isReplaced();
    }

    @Override
    public Registration watch(String entry, Runnable changed) {
        ShareRegistry.name("entry", entry);
        checkOpen();
        return watch.add(entry, changed);
    }

    /** Ceases to be a member, if the store answers within the time of a request. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        watch.close();
        try {
            leave();
        } catch (IOException | RuntimeException e) {
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void leave() throws IOException, InterruptedException {
        Stored last = stored(members);
        for (int i = 0; i < MOST_LOSSES && token.equals(Members.of(last).token(instance)); i++) {
            last = replaceMembers(last, Members.of(last).without(instance));
        }
    }

    /** The service and the id of this instance. */
    @Override
    public String toString() {
        return "StateRegistry[" + service + ", " + instance + "]";
    }
}
