package dev.weir.samples;

import dev.weir.algorithms.CapacityPlan;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import java.time.Duration;

/*
 * Which limits to start with, from page views a day and one load test.
 *
 * Expected output:
 *
 *     3,000,000 page views a day
 *     over 24 hours         35 requests a second on average
 *     over the daytime      75
 *     at the 80/20 peak     139
 *     at 58 a machine       3 machines
 *     rate of a machine     TokenBucket[permits=58, period=PT1S, capacity=58, initial=58, refill=GREEDY]
 *     at 200 ms a request   Semaphore[limit=12]
 */
public final class S05_CapacityPlan {
    private S05_CapacityPlan() {}

    public static void main(String[] args) {
        long perMachine = 58;
        Duration perRequest = Duration.ofMillis(200);

        CapacityPlan plan = CapacityPlan.of(3_000_000).withPeak(CapacityPlan.peakFactor(0.8, 0.2));
        System.out.println("3,000,000 page views a day");
        System.out.println("over 24 hours         " + plan.averageQps() + " requests a second on average");
        System.out.println(
                "over the daytime      " + plan.within(CapacityPlan.DAYTIME).averageQps());
        System.out.println("at the 80/20 peak     " + plan.peakQps());
        System.out.println("at 58 a machine       " + plan.machines(perMachine) + " machines");

        TokenBucket rate = TokenBucket.of(perMachine, Duration.ofSeconds(1));
        Semaphore atOnce = new Semaphore(CapacityPlan.concurrency(perMachine, perRequest));
        System.out.println("rate of a machine     " + rate);
        System.out.println("at 200 ms a request   " + atOnce);
    }
}
