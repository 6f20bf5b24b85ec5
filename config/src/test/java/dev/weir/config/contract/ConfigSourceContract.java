package dev.weir.config.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.InstanceStatus.Result;
import dev.weir.config.source.Reading;
import dev.weir.testkit.VirtualTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What every source of configuration does. A test of a source extends this and says how to open the source, and how to change
 * what is at the server by other means than the source. Before each test there is no document: a subclass takes a new key or
 * file for each. The server should be a real one; a {@link TcpProxy} before it makes it go away and hang.
 */
@Tag("contract")
public abstract class ConfigSourceContract {
    private static final int HUGE = 10 * 1024 * 1024;
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    /** The time of the loop that reads the sources, for a source that has a ticker. */
    protected final VirtualTime time = new VirtualTime();

    private final List<SourceProbe> probes = new ArrayList<>();
    private final List<ConfigSource> sources = new ArrayList<>();
    private boolean disconnected;

    /** A new source of the one document that {@link #write} writes, through the {@link #proxy} if there is one. */
    protected abstract ConfigSource open() throws Exception;

    /** Creates or replaces the document, also while the source is disconnected from it. Throws if the server refuses it. */
    protected abstract void write(byte[] content) throws Exception;

    /** Deletes the document. */
    protected abstract void delete() throws Exception;

    /** The proxy before the server; null if there is none, then no test of a slow or hanging server is run. */
    protected @Nullable TcpProxy proxy() {
        return null;
    }

    /** Whether {@link #disconnect} does something. */
    protected boolean disconnects() {
        return proxy() != null;
    }

    /** Makes every reading fail until {@link #reconnect}. The document stays. Cuts the proxy by default. */
    protected void disconnect() throws Exception {
        proxied().cut();
    }

    /** Ends what {@link #disconnect} began. */
    protected void reconnect() throws Exception {
        proxied().restore();
    }

    /** What no reader of documents can read but the server stores: by default all bytes. */
    protected byte[] junk() {
        byte[] junk = new byte[512];
        for (int i = 0; i < junk.length; i++) {
            junk[i] = (byte) (255 - i);
        }
        return junk;
    }

    /** A password or token that the source was opened with; null if none. */
    protected @Nullable String secret() {
        return null;
    }

    /** Whether the source replaces a document in one step. */
    protected boolean isWhole() {
        return true;
    }

    /** Whether the thread belongs to the server, or to the client's library for the whole process. */
    protected boolean isNotOfTheSource(Thread thread) {
        return false;
    }

    private TcpProxy proxied() {
        TcpProxy proxy = proxy();
        if (proxy == null) {
            throw new IllegalStateException("no proxy");
        }
        return proxy;
    }

    private SourceProbe start() throws Exception {
        SourceProbe probe = new SourceProbe(opened(), time);
        probes.add(probe);
        return probe;
    }

    private ConfigSource opened() throws Exception {
        ConfigSource source = open();
        sources.add(source);
        return source;
    }

    private void away() throws Exception {
        assumeTrue(disconnects(), "cannot be disconnected");
        disconnect();
        disconnected = true;
    }

    private void back() throws Exception {
        reconnect();
        disconnected = false;
    }

    /** Before what a subclass does after each test: its server is still there. */
    @RegisterExtension
    final AfterTestExecutionCallback closing = context -> closeAll();

    private void closeAll() throws Exception {
        if (disconnected) {
            reconnect();
        }
        TcpProxy proxy = proxy();
        if (proxy != null) {
            proxy.restore();
        }
        probes.forEach(SourceProbe::close);
        sources.forEach(ConfigSource::close);
    }

    private static byte[] document(int number) {
        return ("limits: {}\n# \u00e9\u4e2d\ud83d\ude80 " + number + "\n").getBytes(UTF_8);
    }

    @Test
    void theFirstReadingIsWhatIsThere() throws Exception {
        write(document(1));
        SourceProbe probe = start();
        probe.awaitContent(document(1));
        assertEquals(List.of(), probe.losses());
    }

    @Test
    void noDocumentIsAnAbsentReading() throws Exception {
        SourceProbe probe = start();
        probe.awaitAbsent();
        write(document(1));
        probe.awaitContent(document(1));
        assertEquals(List.of(), probe.losses());
    }

    @Test
    void aDocumentIsWholeIfTheSourceReplacesItInOneStep() throws Exception {
        write(document(1));
        SourceProbe probe = start();
        probe.awaitThat(
                "a reading that is whole or not",
                () -> !probe.readings().isEmpty() && probe.last().isWhole() == isWhole());
        assertArrayEquals(document(1), probe.last().content());
    }

    @Test
    void changesAreReadAndNoRevisionGoesBack() throws Exception {
        write(document(0));
        SourceProbe probe = start();
        for (int i = 0; i < 5; i++) {
            write(document(i));
            probe.awaitContent(document(i));
        }
        assertEquals(List.of(), probe.losses());
        assertNoRevisionGoesBack(probe.readings());
    }

    @Test
    void aDocumentThatIsUnchangedIsDeliveredOnce() throws Exception {
        write(document(1));
        SourceProbe probe = start();
        probe.awaitThat(
                "a reading that is whole or not",
                () -> !probe.readings().isEmpty() && probe.last().isWhole() == isWhole());
        for (int i = 0; i < 3; i++) {
            probe.wake();
        }
        write(document(2));
        probe.awaitContent(document(2));
        long times = probe.readings().stream()
                .filter(reading -> reading.isWhole() == isWhole() && Arrays.equals(reading.content(), document(1)))
                .count();
        assertEquals(1, times);
    }

    @Test
    void deletionIsAnAbsentReadingAndNoLoss() throws Exception {
        write(document(1));
        SourceProbe probe = start();
        probe.awaitContent(document(1));
        delete();
        probe.awaitAbsent();
        write(document(2));
        probe.awaitContent(document(2));
        delete();
        probe.awaitAbsent();
        write(document(2));
        probe.awaitContent(document(2));
        assertEquals(List.of(), probe.losses());
    }

    @Test
    void aChangeMissedWhileDisconnectedIsRead() throws Exception {
        write(document(1));
        SourceProbe probe = start();
        probe.awaitContent(document(1));
        away();
        probe.wake();
        probe.awaitLoss();
        write(document(2));
        write(document(3));
        back();
        probe.awaitContent(document(3));
        probe.awaitThat("an end of the outage", () -> probe.restored() >= 1);
        write(document(4));
        probe.awaitContent(document(4));
        assertNoRevisionGoesBack(probe.readings());
    }

    @Test
    void noChangeIsMissedInAnyOfFiveCuts() throws Exception {
        write(document(0));
        SourceProbe probe = start();
        probe.awaitContent(document(0));
        for (int i = 1; i <= 5; i++) {
            away();
            write(document(i));
            probe.wake();
            back();
            probe.awaitContent(document(i));
        }
        assertNoRevisionGoesBack(probe.readings());
    }

    @Test
    void aDocumentDeletedWhileDisconnectedIsAbsent() throws Exception {
        write(document(1));
        SourceProbe probe = start();
        probe.awaitContent(document(1));
        away();
        probe.wake();
        probe.awaitLoss();
        delete();
        back();
        probe.awaitAbsent();
    }

    @Test
    void aServerThatComesUpLaterIsRead() throws Exception {
        write(document(1));
        away();
        SourceProbe probe = start();
        probe.awaitLoss();
        assertEquals(List.of(), probe.readings());
        back();
        probe.awaitContent(document(1));
        write(document(2));
        probe.awaitContent(document(2));
    }

    /** Also if a client tells of a change whenever it fails to connect. */
    @Test
    void attemptsToReconnectAreJitteredAndAtMostOneASecond() throws Exception {
        away();
        SourceProbe probe = start();
        probe.awaitThat("attempts", () -> probe.attempts().size() >= 5 || time.read() > 60 * SECOND);
        List<Long> gaps = new ArrayList<>();
        for (int i = 1; i < probe.attempts().size(); i++) {
            gaps.add(probe.attempts().get(i) - probe.attempts().get(i - 1));
        }
        assertTrue(gaps.stream().allMatch(gap -> gap >= SECOND - SourceProbe.STEP.toNanos()), gaps::toString);
        assertTrue(gaps.isEmpty() || gaps.stream().anyMatch(gap -> gap % SECOND != 0), gaps::toString);
        assertTrue(probe.losses().size() <= 1, () -> probe.losses().toString());
    }

    @Test
    void junkIsDeliveredAsItIs() throws Exception {
        write(junk());
        SourceProbe probe = start();
        probe.awaitContent(junk());
        write(document(1));
        probe.awaitContent(document(1));
    }

    @Test
    void aHugeDocumentStopsNothing() throws Exception {
        write(document(1));
        SourceProbe probe = start();
        probe.awaitContent(document(1));
        byte[] huge = new byte[HUGE];
        Arrays.fill(huge, (byte) '#');
        boolean stored = true;
        try {
            write(huge);
        } catch (Exception tooLarge) {
            stored = false;
        }
        if (stored) {
            probe.awaitThat(
                    "a refusal or a reading",
                    () -> !probe.losses().isEmpty() || probe.last().content().length == HUGE);
        }
        write(document(2));
        probe.awaitContent(document(2));
        for (Reading reading : probe.readings()) {
            int length = reading.content().length;
            assertTrue(length < 100 || length == HUGE, "a part was delivered: " + length);
        }
    }

    @Test
    void theLastOfTwoHundredQuickWritesWins() throws Exception {
        write(document(0));
        SourceProbe probe = start();
        probe.awaitContent(document(0));
        for (int i = 1; i <= 200; i++) {
            write(document(i));
        }
        probe.awaitContent(document(200));
        assertNoRevisionGoesBack(probe.readings());
    }

    @Test
    void aSlowServerIsRead() throws Exception {
        assumeTrue(proxy() != null, "no proxy");
        write(document(1));
        proxied().trickle();
        SourceProbe probe = start();
        probe.awaitContent(document(1));
        proxied().latency(Duration.ofMillis(20));
        write(document(2));
        probe.awaitContent(document(2));
    }

    @Test
    void aServerThatHangsIsLostAndReadWhenItIsBack() throws Exception {
        assumeTrue(proxy() != null, "no proxy");
        write(document(1));
        SourceProbe probe = start();
        probe.awaitContent(document(1));
        proxied().hang();
        write(document(2));
        probe.wake();
        probe.awaitLoss();
        proxied().restore();
        probe.awaitContent(document(2));
    }

    @Test
    void closeEndsAReadingThatHangs() throws Exception {
        assumeTrue(proxy() != null, "no proxy");
        proxied().hang();
        SourceProbe probe = start();
        await().atMost(Duration.ofMinutes(2)).until(() -> proxied().connections() > 0);
        probe.close();
    }

    @Test
    void closeAtOnceAndTwice() throws Exception {
        write(document(1));
        for (int i = 0; i < 3; i++) {
            start().close();
        }
        ConfigSource unused = opened();
        unused.close();
        unused.close();
    }

    @Test
    void noThreadIsLeftAfterClose() throws Exception {
        write(document(1));
        SourceProbe first = start();
        first.awaitContent(document(1));
        first.close();
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        SourceProbe probe = start();
        probe.awaitContent(document(1));
        probe.close();
        await().alias("only threads from before").atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
            System.gc(); // The JDK's HTTP client ends its thread when it is collected.
            assertEquals(List.of(), newThreads(before));
        });
    }

    private List<String> newThreads(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread) && !isOfTheProcess(thread) && !isNotOfTheSource(thread))
                .map(Thread::getName)
                .collect(Collectors.toList());
    }

    private static boolean isOfTheProcess(Thread thread) {
        String name = thread.getName();
        return name.equals("tcp-proxy")
                || name.startsWith("weir-alarm")
                || name.startsWith("ForkJoinPool.commonPool")
                || name.startsWith("awaitility")
                || thread.getThreadGroup() != null
                        && thread.getThreadGroup().getName().equals("system");
    }

    @Test
    void noSecretIsInNamesAndExceptions() throws Exception {
        String secret = secret();
        assumeTrue(secret != null, "no secret");
        ConfigSource source = opened();
        assertFalse(source.name().contains(secret), "the name");
        assertFalse(source.toString().contains(secret), "toString");
        away();
        SourceProbe probe = start();
        probe.awaitLoss();
        for (Throwable loss : probe.losses()) {
            StringWriter trace = new StringWriter();
            loss.printStackTrace(new PrintWriter(trace));
            assertFalse(trace.toString().contains(secret), "an exception");
        }
    }

    @Test
    void instancesSeeEachOtherUntilTheyClose() throws Exception {
        ConfigSource first = opened();
        ConfigSource second = opened();
        assumeTrue(first.acknowledges(), "does not acknowledge");
        SourceProbe one = new SourceProbe(first, time);
        SourceProbe two = new SourceProbe(second, time);
        probes.add(one);
        probes.add(two);
        InstanceStatus accepted = new InstanceStatus("host-1:80", "7", "7", Result.ACCEPTED, List.of(), Instant.EPOCH);
        InstanceStatus rejected = new InstanceStatus(
                "host-2:80", "8", "8", Result.REJECTED, List.of("limits.a: \"x\" <&>\n", "b\u00e9"), Instant.EPOCH);
        one.acknowledge(new InstanceStatus("host-1:80", "6", "6", Result.HELD, List.of(), Instant.EPOCH));
        one.acknowledge(accepted);
        two.acknowledge(rejected);
        one.awaitThat("both", () -> statuses(first).equals(Set.of(accepted, rejected)));
        two.awaitThat("both", () -> statuses(second).equals(Set.of(accepted, rejected)));
        one.close();
        two.awaitThat("the one that is left", () -> statuses(second).equals(Set.of(rejected)));
    }

    @Test
    void anAcknowledgementSurvivesAnOutage() throws Exception {
        ConfigSource source = opened();
        assumeTrue(source.acknowledges(), "does not acknowledge");
        SourceProbe probe = new SourceProbe(source, time);
        probes.add(probe);
        InstanceStatus status = new InstanceStatus("a", "7", "7", Result.ACCEPTED, List.of(), Instant.EPOCH);
        probe.awaitAbsent();
        away();
        probe.acknowledge(status);
        probe.wake();
        probe.awaitLoss();
        back();
        probe.awaitThat("the status", () -> statuses(source).equals(Set.of(status)));
    }

    private static Set<InstanceStatus> statuses(ConfigSource source) {
        try {
            return new HashSet<>(source.statuses());
        } catch (Exception e) {
            return Set.of();
        }
    }

    private static void assertNoRevisionGoesBack(List<Reading> readings) {
        long last = Reading.NO_REVISION;
        for (Reading reading : readings) {
            long revision = reading.revision();
            assertTrue(revision == Reading.NO_REVISION || revision >= last, revision + " after " + last);
            last = Math.max(last, reading.revision());
        }
    }
}
