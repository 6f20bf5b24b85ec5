package dev.weir.config.value;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads that read, bind and create values while documents come, every third of them bad. */
class ConfigValueRacesTest {
    private static final int DOCUMENTS = 2_000;

    private final StoredValues stored = new StoredValues();
    private final AtomicBoolean done = new AtomicBoolean();
    private final List<String> wrong = Collections.synchronizedList(new ArrayList<>());
    private final List<Thread> threads = new ArrayList<>();
    private volatile int applied;
    private final CountDownLatch ready = new CountDownLatch(3);

    @AfterEach
    void close() {
        stored.close();
    }

    /** Sees values in the order of the documents, and none that was refused. */
    private final class Reader {
        private int last;

        boolean sees(int value) {
            if (value < last || value % 3 == 2) {
                wrong.add(value + " after " + last);
            }
            last = Math.max(last, value);
            return true;
        }
    }

    private final class Bound {
        private final Reader reader = new Reader();

        @ConfigParam(value = "n", orElse = "0")
        private void n(int n) {
            if (n % 3 == 2) {
                throw new IllegalArgumentException("refused");
            }
            reader.sees(n);
        }
    }

    private ConfigValue<Integer> value() {
        return stored.values.value("n", int.class, 0, n -> n % 3 != 2, "must not be 2 modulo 3");
    }

    /** Lets the documents go on, so that few values are created in all. */
    private boolean awaitDocuments() {
        int next = applied + 20;
        while (applied < next && !done.get()) {
            Thread.onSpinWait();
        }
        return true;
    }

    private void repeat(BooleanSupplier step) {
        Thread thread = new Thread(() -> {
            ready.countDown();
            while (!done.get() && step.getAsBoolean()) {
                Thread.onSpinWait();
            }
        });
        threads.add(thread);
        thread.start();
    }

    @Test
    void readersNeverSeeARefusedValueNorAnOlderOne() throws InterruptedException {
        ConfigValue<Integer> value = value();
        Reader direct = new Reader();
        Reader created = new Reader();
        Reader listening = new Reader();
        value.onChange(listening::sees);
        List<Bound> bound = Collections.synchronizedList(new ArrayList<>());
        repeat(() -> direct.sees(value.get()));
        repeat(() -> {
            int first = value().get();
            return (first == 0 || created.sees(first)) && awaitDocuments();
        });
        repeat(() -> {
            Bound next = new Bound();
            stored.values.bind(next);
            bound.add(next);
            return awaitDocuments();
        });
        ready.await();
        for (int n = 1; n <= DOCUMENTS; n++) {
            stored.apply(Map.of("n", n % 5 == 0 ? "junk" : "" + n));
            applied = n;
        }
        stored.apply(Map.of("n", "" + 3 * DOCUMENTS));
        done.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), wrong);
        assertEquals(3 * DOCUMENTS, value.get());
        assertEquals(3 * DOCUMENTS, value().get());
        assertEquals(3 * DOCUMENTS, listening.last);
        bound.forEach(each -> assertEquals(3 * DOCUMENTS, each.reader.last));
    }

    /** The store has staged what it knew, and its document is still the old one. */
    @Test
    void aValueCreatedWhileADocumentIsStagedHasThatDocument() {
        List<ConfigValue<Integer>> created = new ArrayList<>();
        ConfigValue<Integer> first = stored.values.value(
                "a", int.class, 0, a -> a == 0 || created.add(stored.values.value("b", int.class, 0)), "must be fine");
        stored.apply(Map.of("a", "1", "b", "2"));
        assertEquals(1, first.get());
        assertEquals(2, created.get(0).get());
    }

    /** The applying thread finds the method busy, and leaves the new value to the thread that is in it. */
    @Test
    void aValueThatComesWhileAMethodRunsIsToldAfterIt() {
        Nested nested = new Nested();
        stored.values.bind(nested);
        assertEquals(List.of(1, 2), nested.told);
    }

    private final class Nested {
        private final List<Integer> told = new ArrayList<>();

        @ConfigParam(value = "n", orElse = "1")
        private void n(int n) {
            if (n == 1) {
                stored.apply(Map.of("n", "2"));
            }
            told.add(n);
        }
    }
}
