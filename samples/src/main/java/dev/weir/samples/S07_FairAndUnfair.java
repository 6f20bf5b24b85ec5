package dev.weir.samples;

import dev.weir.Request;
import dev.weir.algorithms.Pacer;
import dev.weir.engine.Limiters;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.VirtualTime;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/*
 * Who waits how long: five patient clients come at once, then another one each time a permit is due, every 10 ms. In the
 * fair queue nobody is overtaken. In the unfair one a new request finds the permit first, until the first of the patient
 * clients has waited for 100 ms; from then on permits are handed to waiters, and new requests wait as well.
 *
 * Expected output:
 *
 *     fair: patient  1 ## 10 ms
 *           patient  2 #### 20 ms
 *           patient  3 ###### 30 ms
 *           patient  4 ######## 40 ms
 *           patient  5 ########## 50 ms
 *           newcomer 1 ########## 50 ms
 *           newcomer 5 ########## 50 ms
 *           newcomer 9 ########## 50 ms
 *     unfair: patient  1 ###################### 110 ms
 *             patient  2 ######################## 120 ms
 *             patient  3 ########################## 130 ms
 *             patient  4 ############################ 140 ms
 *             patient  5 ############################## 150 ms
 *             newcomer 1 0 ms
 *             newcomer 5 0 ms
 *             newcomer 9 0 ms
 */
public final class S07_FairAndUnfair {
    private static final int PATIENT = 5;
    private static final int NEWCOMERS = 12;
    private static final Duration EVERY = Duration.ofMillis(10);
    private static final Duration EVER = Duration.ofDays(1);

    private final VirtualTime time = new VirtualTime(0);
    private final List<CompletableFuture<Long>> waits = new ArrayList<>();
    private final AdmissionQueue queue;

    private S07_FairAndUnfair(QueueSpec spec) {
        queue = AdmissionQueue.builder(
                        "calls",
                        Limiters.builder("calls", Pacer.of(1, EVERY))
                                .ticker(time)
                                .build(),
                        spec)
                .executor(Runnable::run)
                .build();
    }

    public static void main(String[] args) {
        new S07_FairAndUnfair(QueueSpec.of(100)).run("fair: ");
        new S07_FairAndUnfair(QueueSpec.of(100).unfair(IntervalFunction.of(Duration.ofMillis(25)))).run("unfair: ");
    }

    private void run(String name) {
        queue.tryAcquire(Request.ONE);
        for (int i = 1; i <= NEWCOMERS; i++) {
            time.ring(i * EVERY.toNanos(), this::come);
        }
        for (int client = 0; client < PATIENT; client++) {
            come();
        }
        time.advance(Duration.ofSeconds(1));
        for (int client = 0; client < waits.size(); client += client < PATIENT ? 1 : 4) {
            long millis = waits.get(client).join() / 1_000_000;
            String who = client < PATIENT ? "patient  " + (client + 1) : "newcomer " + (client - PATIENT + 1);
            System.out.printf(
                    "%s%s %s%d ms%n",
                    client == 0 ? name : " ".repeat(name.length()),
                    who,
                    millis == 0 ? "" : "#".repeat((int) millis / 5) + " ",
                    millis);
        }
    }

    private void come() {
        long since = time.read();
        waits.add(queue.acquireAsync(Request.ONE, EVER).thenApply(granted -> time.read() - since));
    }
}
