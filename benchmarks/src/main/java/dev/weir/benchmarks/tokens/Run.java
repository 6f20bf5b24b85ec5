package dev.weir.benchmarks.tokens;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.adaptive.LearnedCost;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.TokenBucket;
import dev.weir.benchmarks.tokens.Scenario.Call;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.FairShare;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** One scenario with one client, event by event: limiter, queue and learned costs as users have them, before a simulated provider. */
final class Run {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final StrategySpec LIMITS = AllOf.of(
            Settled.of(TokenBucket.of(Scenario.PER_MINUTE, MINUTE)), TokenBucket.of(500, MINUTE), new Semaphore(40));
    private static final QueueSpec QUEUE =
            QueueSpec.of(1000).by(new FairShare()).waiting(MINUTE);

    /** From the client to the provider, and back. */
    private static final long ONE_WAY = 25_000_000;

    private static final long BEFORE_THE_FIRST_TOKEN = 500_000_000;
    private static final long NANOS_OF_A_TOKEN = 2_500_000;

    private final VirtualTime time = new VirtualTime(0);
    private final double[] servedOf = new double[Scenario.TENANTS];
    private final Scenario scenario;
    private final Client client;
    private final Provider provider;
    private final Deque<Call> arrivals;
    private final ManagedLimiter limiter;
    private final AdmissionQueue queue;
    private final LearnedCost costs;

    private Run(Scenario scenario, Client client, long seed) {
        this.scenario = scenario;
        this.client = client;
        provider = new Provider(scenario.quota(), Scenario.PER_MINUTE);
        arrivals = new ArrayDeque<>(scenario.calls(seed));
        limiter = Limiters.builder("model", LIMITS).ticker(time).build();
        queue = AdmissionQueue.builder("model", limiter, QUEUE)
                .ticker(time)
                .alarm(time)
                .executor(Runnable::run)
                .build();
        costs = client.costs();
    }

    /**
     * The outcome of a run.
     *
     * @param use the share of the provider's tokens that was used
     * @param refused how many of a thousand calls had a 429 for an answer
     * @param servedOf tokens of each tenant
     */
    record Result(double use, double refused, double[] servedOf) {}

    static Result of(Scenario scenario, Client client, long seed) {
        return new Run(scenario, client, seed).result();
    }

    private Result result() {
        arrive();
        time.advance(scenario.nanos());
        Result result = new Result(provider.use(time.read()), provider.refusedOfThousand(), servedOf.clone());
        queue.close();
        limiter.close();
        return result;
    }

    private void arrive() {
        Call next = arrivals.peek();
        while (next != null && next.at() <= time.read()) {
            wanted(arrivals.remove());
            next = arrivals.peek();
        }
        if (next != null) {
            time.alarm(next.at() - time.read(), this::arrive);
        }
    }

    private void wanted(Call call) {
        Request request = Request.forKey(call.tenant());
        Request asked =
                client.estimate() > 0 ? request.settled(client.estimate()) : costs.request(request, call.route());
        queue.acquireAsync(asked).thenAccept(decision -> decided(call, decision));
    }

    private void decided(Call call, Decision decision) {
        if (decision instanceof Permit permit) {
            time.alarm(ONE_WAY, () -> reaches(call, permit));
        }
    }

    private void reaches(Call call, Permit permit) {
        long seconds = provider.arrives(time.read());
        if (seconds > 0) {
            time.alarm(ONE_WAY, () -> refused(permit, seconds));
            return;
        }
        provider.counts(call.cost(), time.read());
        servedOf[call.tenant()] += call.cost();
        time.alarm(BEFORE_THE_FIRST_TOKEN + call.cost() * NANOS_OF_A_TOKEN + ONE_WAY, () -> ends(call, permit));
    }

    /* The estimate of a call that is refused stays spent: by so much, at least, the client has counted too little. */
    private void refused(Permit permit, long seconds) {
        if (client.suspends()) {
            limiter.suspendFor(Duration.ofSeconds(seconds), "429");
        }
        if (client.undoes()) {
            permit.settle(0);
        }
        permit.release(Outcome.DROPPED);
    }

    private void ends(Call call, Permit permit) {
        if (client.settles()) {
            permit.settle(call.cost());
            costs.settled(call.route(), call.cost());
        }
        permit.release(Outcome.SUCCESS);
    }
}
