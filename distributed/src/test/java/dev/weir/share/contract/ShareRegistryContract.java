package dev.weir.share.contract;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.Ticker;
import dev.weir.share.ShareRegistry;
import dev.weir.share.ShareRegistry.View;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What every registry does. A test of a registry extends this and says how to open the access of one instance, and how to cut
 * it from the server. The server should be a real one; before each test it knows no instance and no entry of this service. A
 * registry that keeps an instance alive in the background stops that when it is cut.
 */
@Tag("contract")
public abstract class ShareRegistryContract {
    private static final String ENTRY = "orders.rate";

    /** No test lasts as long, so a machine that is busy ends no lease. */
    private static final Duration LONG = Duration.ofMinutes(10);

    private static final Duration LIVENESS = Duration.ofMinutes(5);

    private final List<ShareRegistry> opened = new ArrayList<>();
    private final List<ShareRegistry> cut = new ArrayList<>();

    /** The access of another instance to the one service of this test. It need not be connected yet. */
    protected abstract ShareRegistry open(String instance, Duration lease) throws Exception;

    /** Nothing passes between this instance and the server until {@link #restore}; the instance does not notice at once. */
    protected abstract void cut(ShareRegistry registry) throws Exception;

    /** Ends what {@link #cut} began. */
    protected abstract void restore(ShareRegistry registry) throws Exception;

    /** The shortest lease that the registry can keep, for tests that wait until it has ended. */
    protected Duration lease() {
        return Duration.ofSeconds(5);
    }

    /** Whether a second instance with the id of one that lives is refused. */
    protected boolean detectsDuplicates() {
        return true;
    }

    /** The time by which leases end. */
    protected Ticker ticker() {
        return Ticker.system();
    }

    /** Waits until the condition is true; an exception counts as false. A test in virtual time moves that. */
    protected void until(String what, Callable<Boolean> condition) {
        await(what)
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .atMost(LIVENESS)
                .ignoreExceptionsMatching(Exception.class::isInstance)
                .until(condition);
    }

    private ShareRegistry opened(String instance) throws Exception {
        return opened(instance, LONG);
    }

    private ShareRegistry opened(String instance, Duration lease) throws Exception {
        ShareRegistry registry = open(instance, lease);
        opened.add(registry);
        return registry;
    }

    private ShareRegistry member(String instance) throws Exception {
        return renewed(opened(instance));
    }

    private ShareRegistry memberForALease(String instance) throws Exception {
        return renewed(opened(instance, lease()));
    }

    /** The first request waits for a connection, for a bounded time. */
    private ShareRegistry renewed(ShareRegistry registry) {
        until("a renewal", () -> !registry.renew().isZero());
        return registry;
    }

    private void away(ShareRegistry registry) throws Exception {
        cut(registry);
        cut.add(registry);
    }

    private void back(ShareRegistry registry) throws Exception {
        restore(registry);
        cut.remove(registry);
    }

    @AfterEach
    final void closeAll() throws Exception {
        for (ShareRegistry registry : cut) {
            restore(registry);
        }
        opened.forEach(ShareRegistry::close);
    }

    private static List<String> members(ShareRegistry registry) throws Exception {
        return registry.read(ENTRY).members();
    }

    private static void isWritten(ShareRegistry registry, String value) throws Exception {
        assertTrue(registry.replace(ENTRY, registry.read(ENTRY).version(), value));
    }

    /** By one whose connection may be lost. */
    private void untilWritten(ShareRegistry registry, String value) {
        until("a replacement", () -> {
            View view = registry.read(ENTRY);
            return view.value().equals(value) || registry.replace(ENTRY, view.version(), value);
        });
    }

    private void untilGone(String instance, ShareRegistry seenBy) {
        until("the end of the lease", () -> {
            seenBy.renew();
            return !members(seenBy).contains(instance);
        });
    }

    @Test
    void anInstanceKnowsItsId() throws Exception {
        assertEquals("a-1", opened("a-1").instance());
    }

    @Test
    void anEntryThatNobodyWroteIsEmptyAndHasVersionZero() throws Exception {
        ShareRegistry a = opened("a");
        List<View> views = new ArrayList<>();
        until("a reading", () -> views.add(a.read(ENTRY)));
        assertEquals(List.of(new View(List.of(), "", 0)), views);
    }

    @Test
    void whatOneInstanceWritesAllRead() throws Exception {
        ShareRegistry a = member("a");
        ShareRegistry b = member("b");
        assertTrue(a.replace(ENTRY, 0, "first\nline 2: \u00e9\u4e16 \"'\\{}\n"));
        View view = b.read(ENTRY);
        assertEquals("first\nline 2: \u00e9\u4e16 \"'\\{}\n", view.value());
        assertNotEquals(0, view.version());
        assertEquals(view, a.read(ENTRY));
    }

    @Test
    void anEntryMayBeEmptyOrLarge() throws Exception {
        ShareRegistry a = member("a");
        assertTrue(a.replace(ENTRY, 0, ""));
        View empty = a.read(ENTRY);
        assertEquals("", empty.value());
        assertNotEquals(0, empty.version());
        String large = "0123456789abcdef".repeat(8 * 1024);
        assertTrue(a.replace(ENTRY, empty.version(), large));
        assertEquals(large, a.read(ENTRY).value());
    }

    @Test
    void onlyTheVersionThatWasReadIsReplaced() throws Exception {
        ShareRegistry a = member("a");
        ShareRegistry b = member("b");
        isWritten(a, "1");
        long first = b.read(ENTRY).version();
        isWritten(a, "2");
        assertFalse(b.replace(ENTRY, first, "3"));
        assertFalse(b.replace(ENTRY, 0, "3"), "it exists");
        assertFalse(b.replace("other", first, "3"), "it does not exist");
        assertEquals("2", b.read(ENTRY).value());
        assertEquals(0, b.read("other").version());
    }

    @Test
    void theVersionChangesAlsoIfTheValueDoesNot() throws Exception {
        ShareRegistry a = member("a");
        isWritten(a, "same");
        long first = a.read(ENTRY).version();
        assertTrue(a.replace(ENTRY, first, "same"));
        assertNotEquals(first, a.read(ENTRY).version());
        assertFalse(a.replace(ENTRY, first, "same"));
    }

    @Test
    void entriesAreApart() throws Exception {
        ShareRegistry a = member("a");
        isWritten(a, "1");
        assertTrue(a.replace("other", 0, "2"));
        assertEquals("1", a.read(ENTRY).value());
        assertEquals("2", a.read("other").value());
        assertEquals(List.of("a"), a.read("other").members());
    }

    @Test
    void noReplacementIsLost() throws Exception {
        int times = 25;
        List<ShareRegistry> registries = List.of(member("a"), member("b"), member("c"));
        ExecutorService threads = Executors.newFixedThreadPool(2 * registries.size());
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < 2 * registries.size(); i++) {
                ShareRegistry registry = registries.get(i % registries.size());
                running.add(threads.submit(() -> count(registry, times)));
            }
            for (Future<?> one : running) {
                one.get(LIVENESS.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertEquals(
                String.valueOf(times * 2 * registries.size()),
                registries.get(0).read(ENTRY).value());
    }

    private static Void count(ShareRegistry registry, int times) throws Exception {
        for (int done = 0; done < times; ) {
            View view = registry.read(ENTRY);
            int counted = view.value().isEmpty() ? 0 : Integer.parseInt(view.value());
            done += registry.replace(ENTRY, view.version(), String.valueOf(counted + 1)) ? 1 : 0;
        }
        return null;
    }

    @Test
    void anInstanceIsAMemberOnceItHasRenewed() throws Exception {
        ShareRegistry b = opened("b");
        List<List<String>> before = new ArrayList<>();
        until("a reading", () -> before.add(members(b)));
        assertEquals(List.of(List.of()), before);
        Duration promised = renewed(b).renew();
        assertTrue(promised.compareTo(Duration.ZERO) > 0 && promised.compareTo(LONG) <= 0, promised::toString);
        member("c");
        member("a");
        assertEquals(List.of("a", "b", "c"), members(b), "in order");
    }

    @Test
    void aReadingOfAnEntryHasTheMemberThatWroteIt() throws Exception {
        ShareRegistry reader = member("reader");
        isWritten(reader, "");
        for (int i = 0; i < 20; i++) {
            String id = "writer" + i;
            ShareRegistry writer = member(id);
            isWritten(writer, id);
            View view = reader.read(ENTRY);
            assertEquals(id, view.value());
            assertTrue(view.members().contains(id), () -> id + " not in " + view.members());
            writer.close();
        }
    }

    /** A reading that ended after the promised time says nothing. */
    @Test
    void aMemberThatRenewsStaysAMember() throws Exception {
        ShareRegistry a = memberForALease("a");
        ShareRegistry b = memberForALease("b");
        Ticker ticker = ticker();
        long start = ticker.read();
        until("two leases", () -> {
            long before = ticker.read();
            long promised = a.renew().toNanos();
            boolean isMember = members(b).contains("a");
            assertTrue(isMember || ticker.read() - before >= promised, "within the promised time");
            return ticker.read() - start > 2 * lease().toNanos();
        });
    }

    @Test
    void aMemberThatIsCutCeasesToBeOneWhenItsLeaseHasEndedAndNotBefore() throws Exception {
        ShareRegistry a = memberForALease("a");
        ShareRegistry b = memberForALease("b");
        AtomicLong end = new AtomicLong();
        until("a renewal", () -> {
            long before = ticker().read();
            end.set(before + a.renew().toNanos());
            return true;
        });
        away(a);
        untilGone("a", b);
        long early = end.get() - ticker().read();
        assertTrue(early <= 0, () -> early + " ns before the promised time");
    }

    @Test
    void aMemberThatWasCutIsOneAgainOnceItRenews() throws Exception {
        ShareRegistry a = memberForALease("a");
        ShareRegistry b = memberForALease("b");
        away(a);
        untilGone("a", b);
        back(a);
        until("a renewal", () -> {
            a.renew();
            return members(b).contains("a") && members(a).contains("a");
        });
        untilWritten(a, "back");
        until("a reading", () -> b.read(ENTRY).value().equals("back"));
    }

    @Test
    void whileItIsCutEachMethodThrows() throws Exception {
        ShareRegistry a = memberForALease("a");
        ShareRegistry b = member("b");
        isWritten(b, "1");
        long version = b.read(ENTRY).version();
        away(a);
        assertThrows(Exception.class, a::renew);
        assertThrows(Exception.class, () -> a.read(ENTRY));
        assertThrows(Exception.class, () -> a.replace(ENTRY, version, "2"));
    }

    @Test
    void closingEndsTheMembershipAtOnceAndKeepsTheEntries() throws Exception {
        ShareRegistry a = member("a");
        ShareRegistry b = member("b");
        isWritten(a, "kept");
        a.close();
        a.close();
        until("the end of the membership", () -> members(b).equals(List.of("b")));
        assertEquals(new View(List.of("b"), "kept", b.read(ENTRY).version()), b.read(ENTRY));
        assertThrows(Exception.class, a::renew);
        assertThrows(Exception.class, () -> a.read(ENTRY));
    }

    @Test
    void closingWorksWhileItIsCut() throws Exception {
        ShareRegistry a = member("a");
        away(a);
        a.close();
        assertThrows(Exception.class, a::renew);
    }

    @Test
    void aWatchTellsOfTheEntryAndOfTheMembers() throws Exception {
        ShareRegistry a = member("a");
        ShareRegistry b = member("b");
        AtomicInteger told = new AtomicInteger();
        b.watch(ENTRY, told::getAndIncrement);
        told(b, told, () -> isWritten(a, "created"));
        told(b, told, () -> isWritten(a, "replaced"));
        told(b, told, () -> isWritten(a, "replaced again"));
        told(b, told, () -> member("c"));
        told(b, told, a::close);
    }

    private interface Change {
        void make() throws Exception;
    }

    private void told(ShareRegistry watching, AtomicInteger told, Change change) throws Exception {
        int before = told.get();
        change.make();
        until("a call", () -> {
            watching.renew();
            return told.get() > before;
        });
    }

    @Test
    void aWatchTellsThatAMemberHasGone() throws Exception {
        ShareRegistry a = memberForALease("a");
        ShareRegistry b = memberForALease("b");
        untilWritten(b, "1");
        AtomicInteger told = new AtomicInteger();
        b.watch(ENTRY, told::getAndIncrement);
        away(a);
        until("a call after which the member is gone", () -> {
            b.renew();
            int calls = told.get();
            if (members(b).contains("a")) {
                told.addAndGet(-calls);
                return false;
            }
            return calls > 0;
        });
    }

    @Test
    void aWatchTellsWhatChangedWhileItWasCut() throws Exception {
        ShareRegistry a = member("a");
        ShareRegistry b = member("b");
        isWritten(a, "1");
        AtomicInteger told = new AtomicInteger();
        b.watch(ENTRY, told::getAndIncrement);
        away(b);
        isWritten(a, "2");
        int before = told.get();
        back(b);
        until("a call", () -> told.get() > before);
        until("the entry", () -> b.read(ENTRY).value().equals("2"));
        told(b, told, () -> isWritten(a, "3"));
    }

    @Test
    void aWatchOutlivesTheEndOfTheLease() throws Exception {
        ShareRegistry a = memberForALease("a");
        ShareRegistry b = memberForALease("b");
        AtomicInteger told = new AtomicInteger();
        b.watch(ENTRY, told::getAndIncrement);
        away(b);
        untilGone("b", a);
        back(b);
        until("a renewal", () -> {
            a.renew();
            b.renew();
            return members(a).contains("b");
        });
        told(b, told, () -> untilWritten(a, "1"));
    }

    @Test
    void aClosedWatchTellsNothingAndOneThatThrowsDisturbsNoOther() throws Exception {
        ShareRegistry a = member("a");
        ShareRegistry b = member("b");
        AtomicInteger told = new AtomicInteger();
        AtomicInteger silent = new AtomicInteger();
        b.watch(ENTRY, () -> {
            throw new IllegalStateException("on purpose");
        });
        Registration closed = b.watch(ENTRY, silent::getAndIncrement);
        b.watch(ENTRY, told::getAndIncrement);
        closed.close();
        closed.close();
        int before = silent.get();
        told(b, told, () -> isWritten(a, "1"));
        told(b, told, () -> isWritten(a, "2"));
        assertEquals(before, silent.get());
    }

    @Test
    void aSecondInstanceWithTheIdOfOneThatLivesIsRefused() throws Exception {
        assumeTrue(detectsDuplicates(), "cannot tell");
        ShareRegistry a = member("a");
        ShareRegistry twin = opened("a");
        until("a refusal", () -> isRefused(twin));
        a.renew();
        twin.close();
        assertTrue(members(a).contains("a"), "the close of the second does not remove the first");
    }

    private static boolean isRefused(ShareRegistry twin) throws Exception {
        try {
            twin.renew();
        } catch (IllegalStateException refused) {
            return true;
        }
        throw new AssertionError("two members with one id");
    }

    @Test
    void namesAreChecked() throws Exception {
        for (String name : List.of("", ".", "..", "a/b", "a b", "a\nb", "{a}", "\u00e9", "a\0", "x".repeat(129))) {
            assertThrows(IllegalArgumentException.class, () -> opened(name), name);
        }
        ShareRegistry a = member("A-z_0.9" + "x".repeat(121));
        for (String name : List.of("", ".", "..", "../x", "a/b", "a b", "a\nb", "{a}", "\u00e9", "x".repeat(129))) {
            assertThrows(IllegalArgumentException.class, () -> a.read(name), name);
            assertThrows(IllegalArgumentException.class, () -> a.replace(name, 0, ""), name);
            assertThrows(IllegalArgumentException.class, () -> a.watch(name, () -> {}), name);
        }
        assertTrue(a.replace("A-z_0.9" + "x".repeat(121), 0, "1"));
    }
}
