package dev.weir.samples;

import com.sun.net.httpserver.HttpExchange;
import dev.weir.Ticker;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A provider of two models in a process of its own. Each has so many tokens and requests a second, of which the provider
 * counts what its answers really have. It streams an answer: each line is the number of tokens of one piece. Prints its port;
 * then, for each line of its input, the {@link #figures}; exits when its input ends.
 */
final class AgentProvider {
    /*
     * A call is answered while tokens are left, since the provider does not know either how long its answer will be. What it
     * streams may take the tokens below zero. Until they have refilled, calls are refused: a 429, with the time until then.
     */

    /** The tokens and requests that a model grants in a second. */
    record Model(String name, long tokens, long requests) {
        /** The tokens that are left at first. */
        long initial() {
            return tokens / 10;
        }
    }

    static final Model LARGE = new Model("large", 10_000, 250);
    static final Model SMALL = new Model("small", 20_000, 500);

    /** The median of the tokens of a short answer. */
    static final long MEDIAN = 60;

    /** The most tokens of a short answer. */
    static final long MOST = 600;

    /** The mean: of a lognormal distribution with this median and a sigma of 1, cut at the most. */
    static final long MEAN = 96;

    static final int AGENTS = 8;

    private static final long SEED = 1;
    private static final int PIECE = 25;
    private static final long NANOS_OF_A_PIECE = 2_500_000;

    private final Ticker ticker = Ticker.system();
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final Map<String, Quota> quotas = new LinkedHashMap<>();
    private final AtomicLongArray tokensOf = new AtomicLongArray(AGENTS);

    private AgentProvider() {
        quotas.put(LARGE.name, new Quota(LARGE));
        quotas.put(SMALL.name, new Quota(SMALL));
    }

    public static void main(String[] args) throws IOException {
        AgentProvider provider = new AgentProvider();
        Child.serve(provider::handle, Executors.newCachedThreadPool());
        Child.answer(provider::figures);
        System.exit(0);
    }

    /** A path is {@code /model/agent/times}: answers are so many times as long as a short one. */
    private void handle(HttpExchange exchange) throws IOException {
        String[] path = exchange.getRequestURI().getPath().split("/", -1);
        Quota quota = quotas.get(path[1]);
        try (exchange) {
            if (quota == null) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            long millis = quota.arrives(ticker.read());
            if (millis > 0) {
                // A minute of a true provider is a second here: whole seconds would be too long.
                exchange.getResponseHeaders().set("retry-after-ms", Long.toString(millis));
                exchange.getResponseHeaders().set("Retry-After", Long.toString((millis + 999) / 1000));
                exchange.sendResponseHeaders(429, -1);
                return;
            }
            exchange.sendResponseHeaders(200, 0);
            stream(exchange.getResponseBody(), quota, Integer.parseInt(path[2]), Integer.parseInt(path[3]));
        }
    }

    private void stream(OutputStream answer, Quota quota, int agent, int times) throws IOException {
        long next = ticker.read();
        for (long left = length() * times; left > 0; left -= PIECE) {
            next += NANOS_OF_A_PIECE;
            Waits.until(next);
            long tokens = Math.min(PIECE, left);
            quota.count(tokens, ticker.read());
            tokensOf.addAndGet(agent - 1, tokens);
            answer.write((tokens + "\n").getBytes(StandardCharsets.US_ASCII));
            answer.flush();
        }
    }

    private synchronized long length() {
        return Math.min(MOST, Math.max(1, (long) (MEDIAN * Math.exp(random.nextGaussian()))));
    }

    /**
     * So far, separated by spaces: of each model the tokens that it could have streamed, those that it has streamed, the calls that it
     * answered and those that it refused; then the tokens of each agent.
     */
    private String figures() {
        StringJoiner figures = new StringJoiner(" ");
        quotas.values().forEach(quota -> quota.tell(figures, ticker.read()));
        for (int agent = 0; agent < AGENTS; agent++) {
            figures.add(Long.toString(tokensOf.get(agent)));
        }
        return figures.toString();
    }

    /** The rest of a model's tokens and requests; below zero if more was streamed. */
    private static final class Quota {
        private final Model model;
        private double tokens;
        private double requests;
        private long first;
        private long last;
        private long streamed;
        private long answered;
        private long refused;

        Quota(Model model) {
            this.model = model;
            this.tokens = model.initial();
            this.requests = model.requests;
        }

        private void refill(long now) {
            double seconds = Math.max(0, now - last) / 1e9;
            tokens = Math.min((double) model.tokens, tokens + seconds * model.tokens);
            requests = Math.min((double) model.requests, requests + seconds * model.requests);
            last = Math.max(last, now);
        }

        /** In how many milliseconds a call that is refused would be answered; 0 = this one is. */
        synchronized long arrives(long now) {
            if (answered + refused == 0) {
                first = now;
                last = now;
            }
            refill(now);
            if (tokens > 0 && requests >= 1) {
                requests--;
                answered++;
                return 0;
            }
            refused++;
            double seconds = Math.max(-tokens / model.tokens, (1 - requests) / model.requests);
            return 1 + (long) (seconds * 1e3);
        }

        synchronized void count(long more, long now) {
            refill(now);
            tokens -= more;
            streamed += more;
        }

        synchronized void tell(StringJoiner figures, long now) {
            double seconds = answered == 0 ? 0 : (now - first) / 1e9;
            figures.add(Long.toString(model.initial() + (long) (seconds * model.tokens)));
            figures.add(Long.toString(streamed));
            figures.add(Long.toString(answered));
            figures.add(Long.toString(refused));
        }
    }
}
