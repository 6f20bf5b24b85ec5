package dev.weir.benchmarks;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.Limiter;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The bytes that ours may allocate: they depend on no machine, so they can be asserted. */
class AllocationTest {
    private static final int OPERATIONS = 200_000;

    /** Rounds before the one that counts: compiled, and long enough for a controller to have settled how many it times. */
    private static final int ROUNDS = 20;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static volatile Object seen;

    static Stream<Arguments> budgets() {
        RateAdmit admit = new RateAdmit();
        RateAdmit.Weir exact = new RateAdmit.Weir();
        RateAdmit.WeirBatched batched = new RateAdmit.WeirBatched();
        RateDeny deny = new RateDeny();
        RateDeny.Weir spent = new RateDeny.Weir();
        ConcurrencyPermit permit = new ConcurrencyPermit();
        ConcurrencyPermit.Weir roomy = new ConcurrencyPermit.Weir();
        AdaptivePermit adaptive = new AdaptivePermit();
        AdaptivePermit.Weir controlled = new AdaptivePermit.Weir();
        ConcurrencyRun run = new ConcurrencyRun();
        ConcurrencyRun.Weir bracket = new ConcurrencyRun.Weir();
        NamedLimit.Work work = new NamedLimit.Work();
        ConcurrencyDeny refuse = new ConcurrencyDeny();
        ConcurrencyDeny.Weir full = new ConcurrencyDeny.Weir();
        QuotaRead quota = new QuotaRead();
        QuotaRead.Rate rate = new QuotaRead.Rate();
        QuotaRead.OfKeys keyed = new QuotaRead.OfKeys();
        QuotaRead.Concurrency concurrency = new QuotaRead.Concurrency();
        SettledCost costs = new SettledCost();
        SettledCost.Weir byCost = new SettledCost.Weir();
        NamedLimit byName = new NamedLimit();
        NamedLimit.Named named = new NamedLimit.Named();
        NamedLimit.Work little = new NamedLimit.Work();
        HttpFields told = new HttpFields();
        HttpFields.Limits limits = new HttpFields.Limits();
        HttpFields.Response response = new HttpFields.Response();
        Limiter suspended = Limiters.of("suspended", TokenBucket.of(1, Duration.ofDays(1)));
        suspended.suspendFor(Duration.ofDays(1), "told");
        Duration sooner = Duration.ofHours(1);
        return Stream.of(
                budget("suspended-deny", 40, suspended::tryAcquire),
                budget("suspend-sooner", 0, () -> suspended.suspendFor(sooner, "told")),
                budget("named-run", 0, () -> byName.weirRun(named, little) < 0),
                budget("named-permit", 32, () -> byName.weirPermit(named)),
                budget("named-rate", 0, () -> byName.weirRate(named)),
                budget("named-keyed", 0, () -> byName.weirKeyed(named)),
                budget(
                        "named-request-plain",
                        64,
                        () -> named.namedRate.tryAcquire(named.namedRate.request(any -> "ann"))),
                budget(
                        "named-request",
                        152,
                        () -> named.namedClient.tryAcquire(named.namedClient.request(any -> "ann"))),
                budget("named-queue", 32, () -> byName.weirQueue(named, little) < 0),
                budget("named-pair", 88, () -> byName.weirPair(named)),
                budget("named-pair-run", 88, () -> byName.weirPairRun(named, little) < 0),
                budget("named-pair-rate", 128, () -> byName.weirPairRate(named, little) < 0),
                budget("named-quota", 48, () -> byName.weirQuota(named)),
                budget("fields-rate", 300, () -> told.weirRate(limits, response)),
                budget("fields-concurrency", 320, () -> told.weirConcurrency(limits, response)),
                budget("fields-keyed", 400, () -> told.weirKeyed(limits, response)),
                budget("fields-pair", 700, () -> told.weirPair(limits, response)),
                budget("rate-admit", 0, () -> admit.weir(exact)),
                budget("rate-admit-batched", 0, () -> admit.weirBatched(batched)),
                budget("settled-acquire", 64, () -> costs.floorAcquire(byCost)),
                budget("settle-less", 184, () -> costs.weirLess(byCost)),
                budget("settle-more", 184, () -> costs.weirMore(byCost)),
                budget("rate-deny", 40, () -> deny.weir(spent)),
                budget("concurrency-permit", 32, () -> permit.weir(roomy)),
                budget("adaptive-permit", 32, () -> adaptive.weir(controlled)),
                budget("concurrency-run", 0, () -> run.weir(bracket, work) < 0),
                budget("concurrency-deny", 0, () -> refuse.weir(full)),
                budget("quota-rate", 48, () -> quota.weirRate(rate)),
                budget("quota-keyed", 48, () -> quota.weirKeyed(keyed)),
                budget("quota-concurrency", 48, () -> quota.weirConcurrency(concurrency)));
    }

    private static Arguments budget(String work, int bytes, Supplier<?> operation) {
        return Arguments.of(work, bytes, operation);
    }

    @ParameterizedTest(name = "{0} <= {1} B")
    @MethodSource("budgets")
    void allocatesNoMoreThanItsBudget(String work, int budget, Supplier<?> operation) {
        for (int round = 0; round < ROUNDS; round++) {
            allocated(operation);
        }
        double bytes = (double) allocated(operation) / OPERATIONS;
        assertTrue(bytes < budget + 0.5, work + " allocates " + bytes + " B, budget " + budget);
    }

    private static long allocated(Supplier<?> operation) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < OPERATIONS; i++) {
            seen = operation.get();
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }
}
