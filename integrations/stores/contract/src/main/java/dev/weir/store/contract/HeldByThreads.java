package dev.weir.store.contract;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.store.NotCountedException;
import dev.weir.store.lease.HeldLease;
import dev.weir.store.lease.LeaseReply;
import dev.weir.store.lease.LeaseStore;
import dev.weir.store.lease.LeaseTerms;
import dev.weir.store.lease.Leases;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Threads that hold permits of one semaphore, one holder each. What they hold together is counted here too, and their tokens are compared. */
final class HeldByThreads {
    private static final long WAIT_MICROS = 50_000;
    private static final long PAUSE_NANOS = 1_000_000;
    private static final int MOST_REFUSED = 10_000;

    private final LeaseTerms terms;
    private final AtomicLong held = new AtomicLong();
    private final AtomicLong greatest = new AtomicLong();

    private HeldByThreads(long limit) {
        this.terms = new LeaseTerms(limit, TimeUnit.HOURS.toMicros(1));
    }

    /** Each thread takes so many leases, and then those of the last ones are free. */
    static void check(List<LeaseStore> stores, String name, long limit, int turns) throws Exception {
        HeldByThreads threads = new HeldByThreads(limit);
        List<Integer> all = IntStream.range(0, stores.size()).boxed().toList();
        InParallel.run(all, i -> threads.hold(stores.get(i).leases(name, "t" + i), i, turns));
        Leases last = stores.get(0).leases(name, "last");
        threads.awaitGranted(last, limit);
    }

    /* The last that waited is forgotten soon. What is counted for ever was not released. */
    private void awaitGranted(Leases holder, long permits) throws Exception {
        int refused = 0;
        while (!answer(() -> holder.acquire(permits, terms, 0)).isGranted()) {
            assertTrue(++refused < MOST_REFUSED, "what was released is still counted");
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void hold(Leases holder, int seed, int turns) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        int refused = 0;
        for (int turn = 0; turn < turns; ) {
            long permits = 1 + random.nextLong(Math.min(3, terms.limit()));
            long wait = random.nextInt(4) == 0 ? 0 : WAIT_MICROS;
            long before = greatest.get();
            LeaseReply reply = answer(() -> holder.acquire(permits, terms, wait));
            if (!reply.isGranted()) {
                assertTrue(++refused < MOST_REFUSED, "refused " + MOST_REFUSED + " times in a row");
                LockSupport.parkNanos(PAUSE_NANOS);
                continue;
            }
            refused = 0;
            long now = held.addAndGet(permits);
            assertTrue(now <= terms.limit(), () -> now + " of " + terms.limit() + " are held");
            assertTrue(reply.token() > before, () -> "token " + reply.token() + " after " + before);
            greatest.accumulateAndGet(reply.token(), Math::max);
            List<HeldLease> lease = List.of(new HeldLease(reply.token(), permits));
            if (random.nextBoolean()) {
                List<Boolean> renewed = answer(() -> holder.renew(lease, terms));
                assertTrue(renewed.get(0), "it is held");
            }
            held.addAndGet(-permits);
            Object unused = answer(() -> holder.release(lease, terms));
            turn++;
        }
    }

    /* A call that has certainly not been counted is made again. */
    private static <T> T answer(Supplier<? extends CompletionStage<? extends T>> call) throws Exception {
        while (true) {
            try {
                return call.get().toCompletableFuture().get(1, TimeUnit.MINUTES);
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof NotCountedException)) {
                    throw e;
                }
            }
        }
    }
}
