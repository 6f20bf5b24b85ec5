package dev.weir.samples;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.adaptive.LearnedCost;
import dev.weir.config.LimiterRegistry;
import dev.weir.http.ReceivedFields;
import dev.weir.named.NamedLimiter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/*
 * Eight agents call two models of a provider, which counts tokens and requests, for 1.5 times the tokens that it grants. What a
 * call costs is known when its answer has been streamed: the limit takes an estimate first, and is told the rest at the end. A
 * 429 shuts the limit of its model for as long as the provider says, and not that of the other. The agents take turns by what
 * their calls cost; the calls of the last one are ten times as long.
 *
 * The provider is a process of its own, and counts what the table shows. A second stands for a minute of a true one. Each row is
 * measured for four seconds, after two; -Dweir.agents.millis below 4000 shortens that. Ends with ok if no call failed, no permit
 * was lost, and the agents have seen as many tokens as the provider has streamed. The figures differ from run to run and with the machine. One run printed, on 2 processors with builds beside it:
 *
 *                                     quota used  429 of    1,000 tokens of each agent; calls of
 *     taken before a call            large small   1,000    the last are ten times as long
 *     the most that it may cost       0.20  0.19       0     2.1  3.1  3.3  2.4  3.4  3.2  4.3  1.9
 *     the median                      1.00  1.00     343    13.6 12.8 13.9 15.9 14.8 12.5  9.1 27.4
 *     the mean, settled at the end    1.11  1.05      49    15.0 16.1 14.7 15.7 16.9 14.7 15.6 22.0
 *     the same, shut by Retry-After   0.99  1.00       3    16.1 14.3 14.0 15.3 14.3 15.3 14.5 15.7
 *
 * More than 1.00 of a quota is what was saved before.
 */
public final class S22_Agents {
    private static final String LIMITS = """
            limits:
              large:
                all-of: [ { rate: 10k/s, initial: 1k, cost: settled }, { rate: 250/s }, { concurrency: 60 } ]
                queue: { capacity: 200, max-wait: 500ms, discipline: fair-share }
              small:
                all-of: [ { rate: 20k/s, initial: 2k, cost: settled }, { rate: 500/s }, { concurrency: 60 } ]
                queue: { capacity: 200, max-wait: 500ms, discipline: fair-share }
            """;

    private static final double DEMAND = 1.5;
    private static final int MILLIS = Integer.getInteger("weir.agents.millis", 4000);

    private S22_Agents() {}

    public static void main(String[] args) throws Exception {
        System.out.printf(
                Locale.ROOT,
                "a second stands for a minute; %d ms a row%n%n%-30s %11s %7s    %s%n%-30s %5s %5s %7s    %s%n",
                MILLIS,
                "",
                "quota used",
                "429 of",
                "1,000 tokens of each agent; calls of",
                "taken before a call",
                "large",
                "small",
                "1,000",
                "the last are ten times as long");
        boolean ok = true;
        for (Way way : Way.values()) {
            try (Run run = new Run(way)) {
                ok &= run.run();
            }
        }
        System.out.println(ok ? "ok" : "FAILED");
        System.exit(ok ? 0 : 1);
    }

    /** An estimate before a call, and what is done when it has ended. */
    private enum Way {
        MOST("the most that it may cost"),
        MEDIAN("the median"),
        SETTLED("the mean, settled at the end"),
        SUSPENDED("the same, shut by Retry-After");

        private final String title;

        Way(String title) {
            this.title = title;
        }

        long estimate(LearnedCost costs, Calls calls) {
            return switch (this) {
                case MOST -> AgentProvider.MOST * calls.agent.times();
                case MEDIAN -> AgentProvider.MEDIAN * calls.agent.times();
                case SETTLED, SUSPENDED -> costs.estimate(calls);
            };
        }

        boolean settles() {
            return compareTo(SETTLED) >= 0;
        }
    }

    /** An agent, the tenant of the limits. */
    private record Agent(int number) {
        /** The length of its answers, to that of a short one. */
        int times() {
            return number == AgentProvider.AGENTS ? 10 : 1;
        }

        /** The calls it makes: all agents would use as many tokens. */
        double callsPerSecond() {
            double tokens = DEMAND * (AgentProvider.LARGE.tokens() + AgentProvider.SMALL.tokens());
            return tokens / AgentProvider.AGENTS / (AgentProvider.MEAN * times());
        }
    }

    /** The calls that cost about the same. */
    private record Calls(String model, Agent agent) {}

    /** One row of the table, with a provider, limits and costs of its own. */
    private static final class Run implements AutoCloseable {
        private final Way way;
        private final Child provider;
        private final String address;
        private final LimiterRegistry limits;
        private final LearnedCost costs = LearnedCost.of("tokens", AgentProvider.MEDIAN);
        private final HttpClient http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        private final ExecutorService pool = Executors.newCachedThreadPool();
        private final Ticker ticker = Ticker.system();
        private final LongAdder failed = new LongAdder();
        private final LongAdder told = new LongAdder();
        private volatile boolean ended;

        Run(Way way) throws IOException {
            this.way = way;
            MemoryStore store = new MemoryStore();
            store.write(LIMITS);
            limits = LimiterRegistry.builder()
                    .source(store.source())
                    .onEvent(event -> {})
                    .build();
            provider = Child.small(AgentProvider.class);
            address = "http://127.0.0.1:" + provider.answer() + "/";
        }

        boolean run() throws Exception {
            List<CompletableFuture<Void>> agents = new ArrayList<>();
            for (int number = 1; number <= AgentProvider.AGENTS; number++) {
                Agent agent = new Agent(number);
                agents.add(CompletableFuture.runAsync(() -> live(agent), pool));
            }
            TimeUnit.MILLISECONDS.sleep(MILLIS / 2);
            long[] before = provider.ask();
            TimeUnit.MILLISECONDS.sleep(MILLIS);
            long[] after = provider.ask();
            ended = true;
            Arrays.setAll(after, i -> after[i] - before[i]);
            show(after);
            agents.forEach(CompletableFuture::join);
            long lost = limits.limiter("large").snapshot().inFlight()
                    + limits.limiter("small").snapshot().inFlight();
            long[] all = provider.ask();
            long differ = all[1] + all[5] - told.sum();
            boolean ok = told.sum() > 0 && failed.sum() == 0 && lost == 0 && differ == 0;
            if (!ok) {
                System.out.printf("told=%s failed=%s lost=%d differ=%d%n", told, failed, lost, differ);
            }
            return ok;
        }

        /** Calls are due at times drawn beforehand, whether or not earlier ones have ended. */
        private void live(Agent agent) {
            SplittableRandom random = new SplittableRandom(agent.number);
            List<CompletableFuture<Void>> calls = new ArrayList<>();
            for (long next = ticker.read(); !ended; ) {
                next += (long) (random.nextExponential() * 1e9 / agent.callsPerSecond());
                for (long early = next - ticker.read(); early > 0 && !ended; early = next - ticker.read()) {
                    LockSupport.parkNanos(early);
                }
                calls.add(want(agent, limits.limiter(random.nextInt(3) == 0 ? "large" : "small")));
            }
            calls.forEach(CompletableFuture::join);
        }

        private CompletableFuture<Void> want(Agent agent, NamedLimiter model) {
            Calls calls = new Calls(model.name(), agent);
            Request request = Request.forKey(agent).settled(way.estimate(costs, calls));
            return model.acquireAsync(request).thenAcceptAsync(decision -> called(calls, model, decision), pool);
        }

        private void called(Calls calls, NamedLimiter model, Decision decision) {
            if (decision instanceof Permit permit) {
                try (permit) {
                    call(calls, model, permit);
                } catch (IOException | InterruptedException | UncheckedIOException e) {
                    failed.increment();
                }
            }
        }

        private void call(Calls calls, NamedLimiter model, Permit permit) throws IOException, InterruptedException {
            URI prompt = URI.create(address + calls.model + "/" + calls.agent.number + "/" + calls.agent.times());
            HttpRequest request = HttpRequest.newBuilder(prompt).build();
            HttpResponse<Stream<String>> answer = http.send(request, BodyHandlers.ofLines());
            try (Stream<String> pieces = answer.body()) {
                if (answer.statusCode() == 429) {
                    if (way == Way.SUSPENDED) {
                        Duration wait = ReceivedFields.of()
                                .retryAfter(
                                        429,
                                        name -> answer.headers()
                                                .firstValue(name)
                                                .orElse(null));
                        model.suspendFor(wait, "429 of the provider");
                    }
                    permit.release(Outcome.DROPPED); // not settled: the provider has counted more than this limit
                    return;
                }
                long tokens = pieces.mapToLong(Long::parseLong).sum();
                if (way.settles()) {
                    permit.settle(tokens);
                }
                costs.settled(calls, tokens);
                permit.release(Outcome.SUCCESS);
                told.add(tokens);
            }
        }

        private void show(long[] figures) {
            StringBuilder tokens = new StringBuilder();
            for (int agent = 0; agent < AgentProvider.AGENTS; agent++) {
                tokens.append(String.format(Locale.ROOT, " %4.1f", figures[8 + agent] / 1e3));
            }
            long refused = figures[3] + figures[7];
            System.out.printf(
                    Locale.ROOT,
                    "%-30s %5.2f %5.2f %7.0f   %s%n",
                    way.title,
                    (double) figures[1] / figures[0],
                    (double) figures[5] / figures[4],
                    1e3 * refused / (refused + figures[2] + figures[6]),
                    tokens);
        }

        @Override
        public void close() {
            pool.shutdown();
            limits.close();
            provider.close();
        }
    }
}
