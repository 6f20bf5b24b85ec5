package dev.weir.testservers.contract;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.contract.SourceProbe;
import dev.weir.config.contract.TcpProxy;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import dev.weir.testkit.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A source whose server is killed, and whose connection is cut, again and again. A test extends this for each server; the
 * server starts with the data that it ended with.
 */
@Tag("contract")
public abstract class NemesisContract {
    private static final Duration HOUR = Duration.ofHours(1);

    /** In virtual time, which may have moved by a step between the attempt and its note. */
    private static final Duration PAUSE = Duration.ofSeconds(1).minus(SourceProbe.STEP);

    private static final int THREADS = 6;

    private final VirtualTime time = new VirtualTime();

    /** The number of times that the server is killed. */
    protected abstract int kills();

    /** The port of the server. */
    protected abstract int port();

    /** Kills the server. */
    protected abstract void kill() throws Exception;

    /** Starts it again and returns when it is ready. */
    protected abstract void start() throws Exception;

    /** A source of the document that {@link #write} writes, by this port. */
    protected abstract ConfigSource open(int port) throws Exception;

    /** Replaces the document at the server, which runs, not through the proxy. */
    protected abstract void write(byte[] content) throws Exception;

    /** True if the thread belongs to the server, or to the client's library for the whole process. */
    protected boolean isNotOfTheSource(Thread thread) {
        return false;
    }

    private interface Outage {
        void pass(byte[] written) throws Exception;
    }

    @Test
    void C5_whatIsWrittenInAnOutageIsReadAfterEachOfMany() throws Exception {
        write(document(0));
        InstanceStatus status =
                new InstanceStatus("a", "1", "1", InstanceStatus.Result.ACCEPTED, List.of(), Instant.EPOCH);
        try (TcpProxy proxy = new TcpProxy(port());
                ConfigSource source = open(proxy.port());
                SourceProbe probe = new SourceProbe(source, time)) {
            probe.awaitContent(document(0));
            probe.acknowledge(status);
            List<Outage> outages = List.of(
                    written -> {
                        kill();
                        awaitLoss(probe);
                        start();
                        write(written);
                    },
                    written -> {
                        proxy.cut();
                        kill();
                        start();
                        write(written);
                        awaitLoss(probe);
                        proxy.restore();
                    });
            int next = 1;
            List<String> threads = List.of();
            for (int round = 0; round < kills(); round++) {
                next = pass(outages.get(round % 2), next, probe);
                next = pass(
                        written -> {
                            proxy.cut();
                            write(written);
                            awaitLoss(probe);
                            proxy.restore();
                        },
                        next,
                        probe);
                if (round == 1) {
                    threads = threads();
                }
            }
            assertTrue(probe.readings().stream().noneMatch(Reading::isAbsent), "the document was always there");
            assertTrue(probe.shortestPause().compareTo(PAUSE) >= 0, () -> "asked again after " + probe.shortestPause());
            probe.awaitThat("the status", () -> statuses(source).equals(List.of(status)));
            List<String> before = threads;
            await().atMost(Duration.ofMinutes(5))
                    .untilAsserted(() -> assertTrue(
                            threads().size() <= before.size() + THREADS, () -> before + "\nthen\n" + threads()));
        }
    }

    private int pass(Outage outage, int number, SourceProbe probe) throws Exception {
        int restored = probe.restored();
        outage.pass(document(number));
        probe.awaitContent(document(number));
        probe.awaitThat(
                "the end of the outage",
                () -> probe.restored() > restored
                        && probe.restored() == probe.losses().size());
        return number + 1;
    }

    /** Of an outage that began after the last one had ended. */
    private static void awaitLoss(SourceProbe probe) {
        probe.awaitThat("a loss", () -> {
            probe.wake();
            return probe.losses().size() > probe.restored();
        });
    }

    @Test
    void C5_afterAnHourAwayTheLastChangeIsRead() throws Exception {
        write(document(0));
        try (TcpProxy proxy = new TcpProxy(port());
                SourceProbe probe = new SourceProbe(open(proxy.port()), time)) {
            probe.awaitContent(document(0));
            proxy.cut();
            awaitLoss(probe);
            long start = time.read();
            int attempts = probe.attempts().size();
            probe.awaitThat("an hour", () -> {
                time.advance(Duration.ofSeconds(5));
                return time.read() - start > HOUR.toNanos();
            });
            int made = probe.attempts().size() - attempts;
            assertTrue(made <= HOUR.toSeconds(), () -> made + " attempts");
            assertEquals(1, probe.losses().size());
            write(document(1));
            proxy.restore();
            probe.awaitContent(document(1));
            assertEquals(2, probe.readings().size());
        }
    }

    private List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !thread.getName().equals("tcp-proxy") && !isNotOfTheSource(thread))
                .map(Thread::getName)
                .sorted()
                .collect(Collectors.toList());
    }

    private static List<InstanceStatus> statuses(ConfigSource source) {
        try {
            return source.statuses();
        } catch (Exception e) {
            return List.of();
        }
    }

    private static byte[] document(int number) {
        return ("limits: {}\n# " + number + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
