package dev.weir.named.backend;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.internal.Undoable;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Several names for one request, which all of them grant or which takes nothing from any: what the others granted to a refused
 * request is refunded. Thread-safe.
 */
public final class JointBackend implements Backend {
    /*
     * In the order of the alphabet, so that no two requests block each other, and last the one that a store counts: what that grants
     * cannot always be refunded, so nobody may refuse after it.
     */
    private final NamedEntry[] members;
    private final List<String> names;

    private JointBackend(List<NamedEntry> members) {
        this.members =
                members.stream().sorted(Comparator.comparing(NamedEntry::name)).toArray(NamedEntry[]::new);
        names = all().map(NamedEntry::name).toList();
    }

    /**
     * The name of two or more, such as {@code a+b}. Throws if one is there twice, a store counts several, or one key cannot be that
     * of all.
     */
    public static NamedEntry of(List<NamedEntry> entries) {
        List<String> names = entries.stream().map(NamedEntry::name).toList();
        if (names.stream().distinct().count() < names.size()) {
            throw new IllegalArgumentException("names must differ, were " + names);
        }
        List<String> stored = those(entries, JointBackend::isStored);
        if (stored.size() > 1) {
            throw new IllegalArgumentException(
                    "names must include at most one limit that a store counts, because not all "
                            + "that a store has granted can be taken back, were " + stored);
        }
        List<String> byKeyOfCode = those(entries, entry -> isKeyed(entry, false));
        List<String> byDimensions = those(entries, entry -> isKeyed(entry, true));
        if (!byKeyOfCode.isEmpty() && !byDimensions.isEmpty()) {
            throw new IllegalArgumentException("names must not include limits by the key of a request, were "
                    + byKeyOfCode + ", beside limits by the dimensions of a document, were " + byDimensions);
        }
        JointBackend all = new JointBackend(entries);
        return new NamedEntry(all.toString(), entries.get(0).environment(), all, 0);
    }

    private static List<String> those(List<NamedEntry> entries, Predicate<NamedEntry> which) {
        return entries.stream().filter(which).map(NamedEntry::name).toList();
    }

    private static boolean isKeyed(NamedEntry entry, boolean byDimensions) {
        KeyRule keys = entry.inForce().keys();
        return keys != null && keys.dimensions().isEmpty() != byDimensions;
    }

    private static boolean isStored(NamedEntry entry) {
        return entry.inForce().backend() instanceof Stored;
    }

    @Override
    public boolean suspendFor(Duration time, String why, BooleanSupplier itself) {
        boolean isLonger = false;
        for (NamedEntry member : members) {
            isLonger |= member.suspendFor(time, why);
        }
        return isLonger;
    }

    private Stream<NamedEntry> all() {
        return Arrays.stream(members);
    }

    private NamedEntry[] order() {
        for (int i = 0; i < members.length - 1; i++) {
            if (isStored(members[i])) {
                return all().sorted(Comparator.comparing(JointBackend::isStored))
                        .toArray(NamedEntry[]::new);
            }
        }
        return members;
    }

    private static void undo(@Nullable Permit granted) {
        if (granted != null) {
            Undoable.undo(granted);
        }
    }

    private static Permit joined(@Nullable Permit granted, Permit next) {
        return granted == null ? next : new SeveralPermits(granted, next);
    }

    @Override
    public Decision tryAcquire(Request request, boolean isUndone) {
        try {
            return acquire(request, Duration.ZERO, isUndone);
        } catch (InterruptedException e) {
            throw new AssertionError("nobody waits", e);
        }
    }

    @Override
    public Decision acquire(Request request, Duration maxWait, boolean isUndone) throws InterruptedException {
        boolean waits = !maxWait.isZero() && !maxWait.isNegative();
        long startedAt = waits ? now() : 0;
        Permit granted = null;
        for (NamedEntry member : order()) {
            Decision decision = null;
            try {
                decision = waits
                        ? FollowedRequest.await(member, request, left(request, maxWait, startedAt), true)
                        : member.tryAcquire(request, true);
            } finally {
                if (!(decision instanceof Permit)) {
                    undo(granted);
                }
            }
            if (!(decision instanceof Permit next)) {
                return decision;
            }
            granted = joined(granted, next);
        }
        return Objects.requireNonNull(granted);
    }

    @Override
    public boolean charge(Request request) {
        boolean charged = false;
        for (NamedEntry member : members) {
            charged |= member.charge(request);
        }
        return charged;
    }

    private Duration left(Request request, Duration maxWait, long startedAt) {
        return SuspensionGate.left(request, maxWait, now() - startedAt);
    }

    private long now() {
        return members[0].environment().ticker().read();
    }

    @Override
    public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
        JointRequest joint = new JointRequest(request, maxWait);
        CompletableFuture<Decision> unused = joint.whenComplete((decision, failure) -> joint.cancelAsked());
        joint.goOn();
        return joint;
    }

    @Override
    public StrategySpec spec() {
        return new AllOf(all().map(member -> member.inForce().backend().spec()).toList());
    }

    /** Each of them counts by its own key. */
    @Override
    public Request counted(Request request, @Nullable KeyRule keys) {
        return request;
    }

    @Override
    public List<String> names(String own) {
        return names;
    }

    @Override
    public void read(KeyRule.Values values, @Nullable KeyRule own) {
        for (NamedEntry member : members) {
            Answering present = member.inForce();
            present.backend().read(values, present.keys());
        }
    }

    @Override
    public Duration maxWait() {
        Duration longest = Duration.ZERO;
        for (NamedEntry member : members) {
            Duration wait = member.maxWait();
            longest = wait.compareTo(longest) > 0 ? wait : longest;
        }
        return longest;
    }

    @Override
    public Permit.@Nullable Quota quota(Request request) {
        Permit.Quota fewest = null;
        for (NamedEntry member : members) {
            Permit.Quota quota = member.quota(request);
            if (quota != null && (fewest == null || quota.remaining() < fewest.remaining())) {
                fewest = quota;
            }
        }
        return fewest;
    }

    /** No: each of the names follows its own. */
    @Override
    public boolean isReplacedBy(Backend other) {
        return false;
    }

    @Override
    public String toString() {
        return String.join("+", names);
    }

    private final class JointRequest extends CompletableFuture<Decision> {
        private final Request request;
        private final Duration maxWait;
        private final NamedEntry[] order = order();
        private final long startedAt = now();
        /* Written before isDone is read; who ends this future does so, then reads it: one of the two cancels. */
        private volatile @Nullable CompletableFuture<Decision> asked;
        /* These belong to the thread that goes on. */
        private @Nullable Permit granted;
        private int next;

        JointRequest(Request request, Duration maxWait) {
            this.request = request;
            this.maxWait = maxWait;
        }

        private void cancelAsked() {
            CompletableFuture<Decision> present = asked;
            if (present != null) {
                present.cancel(false);
            }
        }

        private void goOn() {
            while (!isDone() && next < order.length) {
                CompletableFuture<Decision> answer;
                try {
                    answer = new FollowedRequest(order[next], request, left(request, maxWait, startedAt)).ask();
                } catch (Throwable t) {
                    answer = CompletableFuture.failedFuture(t);
                }
                asked = answer;
                if (isDone()) {
                    cancelAsked();
                }
                if (!answer.isDone()) {
                    CompletableFuture<Decision> unused = answer.whenComplete((decision, failure) -> {
                        answered(decision, failure);
                        goOn();
                    });
                    return;
                }
                CompletableFuture<Decision> unused = answer.whenComplete(this::answered);
            }
            if (next < order.length || !complete(Objects.requireNonNull(granted))) {
                takeBack();
            }
        }

        private void answered(@Nullable Decision decision, @Nullable Throwable failure) {
            if (decision instanceof Permit permit) {
                granted = joined(granted, permit);
                next++;
                return;
            }
            takeBack();
            if (decision != null) {
                complete(decision);
            } else {
                completeExceptionally(failure == null ? new NullPointerException("decision") : failure);
            }
        }

        private void takeBack() {
            undo(granted);
            granted = null;
        }
    }
}
