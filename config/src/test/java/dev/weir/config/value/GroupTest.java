package dev.weir.config.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A record follows the keys below its prefix, all of one document. */
class GroupTest {
    private static final int DOCUMENTS = 20_000;

    private final StoredValues stored = new StoredValues();

    @AfterEach
    void close() {
        stored.close();
    }

    record Mail(
            @ConfigParam(value = "timeout", orElse = "2s") Duration timeout,

            @ConfigParam(value = "max-retries", orElse = "3")
            int maxRetries,

            List<String> hosts,
            Optional<String> from) {
        static final Mail DEFAULT = new Mail(Duration.ofSeconds(2), 3, List.of("a"), Optional.empty());

        Mail {
            if (maxRetries < 0) {
                throw new IllegalArgumentException("maxRetries must be >= 0, was " + maxRetries);
            }
        }
    }

    record Pair(
            @ConfigParam(value = "a", orElse = "0") int a,
            @ConfigParam(value = "b", orElse = "0") int b) {}

    record Needed(int first, int secondOne) {}

    @Test
    void componentsHaveTheKeysBelowThePrefix() {
        stored.apply(Map.of("mail.hosts[0]", "a"));
        ConfigValue<Mail> mail = stored.values.group("mail", Mail.class);
        assertEquals(Mail.DEFAULT, mail.get());
        assertEquals("mail", mail.key());
        List<Mail> told = new ArrayList<>();
        mail.onChange(told::add);
        assertEquals(
                List.of(),
                stored.apply(Map.of(
                        "mail.hosts", "a, b", "mail.timeout", "5s", "mail.max-retries", "0", "mail.from", "ann")));
        Mail next = new Mail(Duration.ofSeconds(5), 0, List.of("a", "b"), Optional.of("ann"));
        assertEquals(next, mail.get());
        assertEquals(List.of(next), told);
    }

    @Test
    void aBadComponentIsOneProblemAndTheWholeLastGoodRecordStays() {
        ConfigValue<Pair> pair = stored.values.group("pair", Pair.class);
        stored.apply(Map.of("pair.a", "1", "pair.b", "1"));
        Pair good = pair.get();
        assertEquals(new Pair(1, 1), good);
        assertEquals(
                List.of("v2: values.pair.b must be a whole number such as 40, -1, 10k or 64KiB"),
                stored.apply(Map.of("pair.a", "2", "pair.b", "hunter2")));
        assertSame(good, pair.get());
        assertEquals(List.of(), stored.apply(Map.of("pair.b", "3")));
        assertEquals(new Pair(0, 3), pair.get());
        assertEquals(List.of(), stored.apply(Map.of()));
        assertEquals(new Pair(0, 0), pair.get());
    }

    @Test
    void aRecordMayRefuseItsComponents() {
        stored.apply(Map.of("mail.hosts", "a"));
        ConfigValue<Mail> mail = stored.values.group("mail", Mail.class);
        assertEquals(
                List.of("v2: values.mail must be accepted by Mail, which threw java.lang.IllegalArgumentException"),
                stored.apply(Map.of("mail.hosts", "b", "mail.max-retries", "-7")));
        assertEquals(Mail.DEFAULT, mail.get());
    }

    @Test
    void withoutDefaultsADocumentMustHaveAllComponents() {
        String none = String.valueOf(
                assertThrows(IllegalStateException.class, () -> stored.values.group("needed", Needed.class))
                        .getMessage());
        assertEquals("needed has neither a good value nor defaults", none);
        stored.apply(Map.of("needed.first", "1", "needed.second-one", "2"));
        ConfigValue<Needed> needed = stored.values.group("needed", Needed.class);
        assertEquals(new Needed(1, 2), needed.get());
        assertEquals(List.of("v2: values.needed.second-one must be given"), stored.apply(Map.of("needed.first", "7")));
        assertEquals(List.of("v3: values.needed.first must be given"), stored.apply(Map.of()));
        assertEquals(new Needed(1, 2), needed.get());
    }

    /** The texts before are those of one document, not the last good text of each key. */
    @Test
    void aGroupThatIsCreatedLaterHasTheLastGoodDocument() {
        stored.apply(Map.of("pair.a", "1", "pair.b", "1"));
        stored.apply(Map.of("pair.a", "2", "pair.b", "2"));
        stored.apply(Map.of("pair.a", "2", "pair.b", "bad", "other", "1"));
        stored.apply(Map.of("pair.a", "3", "pair.b", "bad", "other", "2"));
        assertEquals(new Pair(2, 2), stored.values.group("pair", Pair.class).get());
        assertEquals(List.of("v4: values.pair.b must be a whole number such as 40, -1, 10k or 64KiB"), stored.reports);
    }

    /** The document's reader has reported them, and gives their texts of before. */
    @Test
    void aComponentThatCannotBeReadKeepsTheWholeRecord() {
        ConfigValue<Pair> pair = stored.values.group("pair", Pair.class);
        stored.apply(Map.of("pair.a", "1", "pair.b", "1"));
        for (String unreadable : List.of("pair.b", "pair", "pair.b[3]")) {
            assertEquals(List.of(), stored.apply(Map.of("pair.a", "2", "pair.b", "1"), Set.of(unreadable)));
            assertEquals(new Pair(1, 1), pair.get());
            assertEquals(new Pair(1, 1), stored.values.group("pair", Pair.class).get());
        }
        stored.apply(Map.of("pair.a", "2", "pair.b", "1"), Set.of("pair.bc", "pai"));
        assertEquals(new Pair(2, 1), pair.get());
    }

    record Mailer(Mail mail, ConfigValue<Pair> pair) {}

    static final class Service {
        private final Mailer made;
        private volatile Pair field = new Pair(-1, -1);
        private volatile Pair told = new Pair(-1, -1);

        Service(@ConfigParam("mail") Mail mail, @ConfigParam("pair") ConfigValue<Pair> pair) {
            made = new Mailer(mail, pair);
        }

        @ConfigParam("pair")
        void onPair(Pair next) {
            told = next;
        }
    }

    @Test
    void aRecordIsAParameterOfAConstructorAndOfAMethod() {
        stored.apply(Map.of("mail.hosts", "a", "pair.a", "1"));
        Service service = stored.values.create(Service.class);
        assertEquals(Mail.DEFAULT, service.made.mail());
        assertEquals(new Pair(1, 0), service.made.pair().get());
        assertEquals(new Pair(1, 0), service.told);
        stored.apply(Map.of("mail.hosts", "a", "pair.b", "2"));
        assertEquals(new Pair(0, 2), service.made.pair().get());
        assertEquals(new Pair(0, 2), service.told);
        assertEquals(new Pair(-1, -1), service.field);
    }

    @Test
    void aRecordIsCreatedFromWholeKeys() {
        stored.apply(Map.of("a", "4"));
        assertEquals(new Pair(4, 0), stored.values.create(Pair.class));
    }

    record Odd(Thread thread) {}

    record Twice(@ConfigParam(value = "n", orElse = "x") int n) {}

    static final class Texts {
        @ConfigParam(value = "pair", orElse = "1")
        volatile Pair pair = new Pair(0, 0);
    }

    @Test
    void refusesAnEmptyPrefixAndRecordsThatCannotBeMade() {
        assertThrows(IllegalArgumentException.class, () -> stored.values.group("", Pair.class));
        assertThrows(IllegalArgumentException.class, () -> stored.values.group("odd", Odd.class));
        assertEquals(
                "orElse of @ConfigParam(\"t.n\") must be a whole number such as 40, -1, 10k or 64KiB",
                assertThrows(IllegalArgumentException.class, () -> stored.values.group("t", Twice.class))
                        .getMessage());
        assertEquals(
                "orElse of @ConfigParam(\"pair\") must be of each component of the record",
                assertThrows(IllegalArgumentException.class, () -> stored.values.bind(new Texts()))
                        .getMessage());
    }

    @Test
    void twoKeysOfOneDocumentNeverTear() throws InterruptedException {
        assertEquals(0, tears(stored.values.group("pair", Pair.class)));
    }

    @Test
    void brokenTwin_keysThatAreBoundOneByOneTear() throws InterruptedException {
        ConfigValue<Integer> a = stored.values.value("pair.a", int.class, 0);
        ConfigValue<Integer> b = stored.values.value("pair.b", int.class, 0);
        assertTrue(tears(() -> {
                    int first = a.get();
                    int number = stored.applied();
                    while (stored.applied() == number && number < DOCUMENTS) {
                        Thread.onSpinWait();
                    }
                    return new Pair(first, b.get());
                })
                > 0);
    }

    /** How many pairs a thread reads whose halves are of two documents, while documents with equal halves come. */
    private int tears(Supplier<Pair> read) throws InterruptedException {
        AtomicBoolean done = new AtomicBoolean();
        CountDownLatch reading = new CountDownLatch(1);
        int[] torn = {0};
        Thread reader = new Thread(() -> {
            reading.countDown();
            while (!done.get()) {
                Pair pair = read.get();
                torn[0] += pair.a() == pair.b() ? 0 : 1;
            }
        });
        stored.apply(Map.of("pair.a", "1", "pair.b", "1"));
        reader.start();
        reading.await();
        for (int n = 2; n <= DOCUMENTS; n++) {
            stored.apply(Map.of("pair.a", "" + n, "pair.b", n % 5 == 0 ? "bad" : "" + n));
        }
        done.set(true);
        reader.join();
        return torn[0];
    }
}
