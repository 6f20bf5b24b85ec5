package dev.weir.samples;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.FairShare;
import dev.weir.queue.discipline.Fifo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/*
 * Three tenants share a server for one and a queue for twelve. One is greedy and sends thirty requests before the others
 * send three each. One queue for all is full of them; with a subqueue for each tenant only its own requests wait for it. A
 * tenant that pays for it gets two grants for one.
 *
 * Expected output:
 *
 *     Fifo[]
 *       in order of  gggggggggggg
 *       greedy  sent 30, served 12
 *       modest  sent  3, served  0
 *       payer  sent  3, served  0
 *     FairShare[weights={}]
 *       in order of  gmpgmpgmpggg
 *       greedy  sent 30, served  6
 *       modest  sent  3, served  3
 *       payer  sent  3, served  3
 *     FairShare[weights={payer=2}]
 *       in order of  gmppgmpgmggg
 *       greedy  sent 30, served  6
 *       modest  sent  3, served  3
 *       payer  sent  3, served  3
 */
public final class S08_TenantFairQueue {
    private static final Duration TIMEOUT = Duration.ofDays(1);

    private final Map<String, Integer> sent = new TreeMap<>();
    private final Map<String, Integer> served = new TreeMap<>();
    private final List<CompletableFuture<Void>> answers = new ArrayList<>();
    private final StringBuilder order = new StringBuilder();

    private S08_TenantFairQueue() {}

    public static void main(String[] args) {
        new S08_TenantFairQueue().serve(new Fifo());
        new S08_TenantFairQueue().serve(new FairShare());
        new S08_TenantFairQueue().serve(new FairShare(Map.of("payer", 2)));
    }

    private void serve(DisciplineSpec discipline) {
        ManagedLimiter server = Limiters.of("server", new Semaphore(1));
        try (AdmissionQueue queue = AdmissionQueue.builder(
                        "server", server, QueueSpec.of(12).by(discipline))
                .executor(Runnable::run)
                .build()) {
            Decision busy = queue.tryAcquire(Request.ONE);
            send(queue, "greedy", 30);
            send(queue, "modest", 3);
            send(queue, "payer", 3);
            ((Permit) busy).close();
        }
        answers.forEach(CompletableFuture::join);
        System.out.println(discipline);
        System.out.println("  in order of  " + order);
        for (String tenant : List.of("greedy", "modest", "payer")) {
            System.out.printf("  %s  sent %2d, served %2d%n", tenant, sent.get(tenant), served.getOrDefault(tenant, 0));
        }
    }

    private void send(AdmissionQueue queue, String tenant, int requests) {
        sent.put(tenant, requests);
        for (int i = 0; i < requests; i++) {
            answers.add(
                    queue.acquireAsync(Request.forKey(tenant), TIMEOUT).thenAccept(decision -> work(tenant, decision)));
        }
    }

    private void work(String tenant, Decision decision) {
        if (decision instanceof Permit permit) {
            served.merge(tenant, 1, Integer::sum);
            order.append(tenant.charAt(0));
            permit.close();
        }
    }
}
