package dev.weir.samples;

import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.executor.LimitedExecutor;
import dev.weir.executor.RejectionPolicy;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/*
 * An executor that runs two reports at once, lets two more wait and answers the others itself; then three at once.
 *
 * Expected output:
 *
 *     report 5       too many reports, limit 2
 *     at first       2 running, 2 waiting
 *     limit raised   3 running, 1 waiting
 *     line cut to 0  3 running, 1 waiting
 *     report 6       too many reports, limit 3
 *     report 4       done
 *     in the end     6 submitted, 4 succeeded, 2 rejected
 */
public final class S06_WrapAnExecutor {
    private final ManagedLimiter limiter = Limiters.of("reports", new Semaphore(2));
    private final AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(2));
    private final LimitedExecutor executor = LimitedExecutor.builder(Executors.newCachedThreadPool(), queue)
            .rejecting(RejectionPolicy.fallbackTo(refused -> "too many reports, limit " + refused.limit()))
            .owningDelegate()
            .build();

    private S06_WrapAnExecutor() {}

    public static void main(String[] args) throws Exception {
        new S06_WrapAnExecutor().run();
    }

    private void run() throws Exception {
        CountDownLatch data = new CountDownLatch(1);
        List<Future<String>> reports = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            reports.add(report(data));
        }
        System.out.println("report 5       " + reports.get(4).get());
        show("at first");

        limiter.dial().setLimit(3);
        show("limit raised");
        queue.reconfigure(QueueSpec.of(0));
        show("line cut to 0");
        System.out.println("report 6       " + report(data).get());

        data.countDown();
        System.out.println("report 4       " + reports.get(3).get());
        executor.shutdown();
        if (!executor.awaitTermination(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("still at work: " + executor.ledger());
        }
        System.out.printf(
                "in the end     %d submitted, %d succeeded, %d rejected%n",
                executor.ledger().submitted(),
                executor.ledger().succeeded(),
                executor.ledger().rejected());
    }

    private Future<String> report(CountDownLatch data) {
        return executor.submit(() -> {
            data.await();
            return "done";
        });
    }

    private void show(String event) {
        System.out.printf(
                "%-14s %d running, %d waiting%n",
                event, limiter.snapshot().inFlight(), queue.snapshot().length());
    }
}
