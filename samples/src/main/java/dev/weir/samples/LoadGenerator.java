package dev.weir.samples;

import dev.weir.samples.Clients.Answer;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Clients of the guarded service, in a process of their own. Ends after the seconds asked for, and as long as the last answers
 * take, with one line of totals, and exit code 0 if every request is accounted for. Those that failed are: on a starved machine
 * callers time out, which loses nothing.
 */
final class LoadGenerator {
    private static final List<String> CLIENTS =
            List.of("ann", "ben", "cleo", "greedy", "greedy", "greedy", "greedy", "greedy");
    private static final int PER_SECOND = 400;

    private LoadGenerator() {}

    public static void main(String[] args) {
        Clients clients = new Clients(URI.create(args[0]), Duration.ofSeconds(10));
        clients.load(Duration.ofSeconds(Long.parseLong(args[1])), CLIENTS, PER_SECOND);
        clients.awaitAnswers();
        long overRate = clients.count(Answer.OVER_RATE);
        long overConcurrency = clients.count(Answer.OVER_CONCURRENCY);
        System.out.printf(
                "asked:  sent=%d admitted=%d refused=%d (%d rate, %d concurrency) failed=%d p50=%d ms p99=%d ms%n",
                clients.sent(),
                clients.count(Answer.OK),
                overRate + overConcurrency,
                overRate,
                overConcurrency,
                clients.count(Answer.FAILED),
                clients.millis(50),
                clients.millis(99));
        long accounted = Stream.of(Answer.values()).mapToLong(clients::count).sum();
        System.exit(accounted == clients.sent() ? 0 : 1);
    }
}
