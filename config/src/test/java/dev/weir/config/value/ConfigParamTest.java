package dev.weir.config.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.spi.Registration;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Methods and fields that follow a key. */
class ConfigParamTest {
    private final StoredValues stored = new StoredValues();

    @AfterEach
    void close() {
        stored.close();
    }

    static final class Gate {
        private volatile Semaphore semaphore = new Semaphore(0);

        @ConfigParam(value = "permits", orElse = "40")
        private void onUpdate(int permits) {
            if (permits <= 0) {
                throw new IllegalArgumentException("permits must be > 0, was " + permits);
            }
            semaphore = new Semaphore(permits);
        }
    }

    @Test
    void aMethodIsCalledNowAndAtEachChange() {
        Gate gate = new Gate();
        Registration registration = stored.values.bind(gate);
        assertEquals(40, gate.semaphore.availablePermits());
        stored.apply(Map.of("permits", "2"));
        assertEquals(2, gate.semaphore.availablePermits());
        stored.apply(Map.of());
        assertEquals(40, gate.semaphore.availablePermits());
        registration.close();
        stored.apply(Map.of("permits", "3"));
        assertEquals(40, gate.semaphore.availablePermits());
    }

    @Test
    void aMethodRefusesAValueAndKeepsTheLastGoodOne() {
        Gate gate = new Gate();
        stored.values.bind(gate);
        stored.apply(Map.of("permits", "2"));
        Semaphore good = gate.semaphore;
        String problem = "v2: values.permits must be accepted by Gate.onUpdate, "
                + "which threw java.lang.IllegalArgumentException";
        assertEquals(List.of(problem), stored.apply(Map.of("permits", "-77")));
        assertEquals(List.of(problem.replace("v2", "v3")), stored.apply(Map.of("permits", "-77")));
        assertEquals(1, stored.apply(Map.of("permits", "many")).size());
        assertEquals(List.of(), stored.apply(Map.of("permits", "2")));
        assertSame(good, gate.semaphore);
        assertEquals(List.of(), stored.apply(Map.of("permits", "3")));
        assertNotSame(good, gate.semaphore);
    }

    @Test
    void aMethodThatRefusesThePresentValueHasTheDefault() {
        stored.apply(Map.of("permits", "0"));
        Gate gate = new Gate();
        stored.values.bind(gate);
        assertEquals(40, gate.semaphore.availablePermits());
        assertEquals(
                List.of("v1: values.permits must be accepted by Gate.onUpdate, "
                        + "which threw java.lang.IllegalArgumentException"),
                stored.reports);
    }

    static class Wrong {
        final List<Integer> called = new ArrayList<>();

        @ConfigParam(value = "n", orElse = "-1")
        void n(int n) {
            called.add(n);
            throw new IllegalArgumentException("never");
        }
    }

    @Test
    void aDefaultThatIsRefusedBindsNothing() {
        Wrong wrong = new Wrong();
        String message = message(wrong);
        assertEquals("orElse of @ConfigParam(\"n\") must be accepted by Wrong.n", message);
        stored.apply(Map.of("n", "5"));
        assertEquals(List.of(-1), wrong.called);
        message(wrong);
        assertEquals(List.of(-1, 5, -1), wrong.called);
    }

    private String message(Object target) {
        return String.valueOf(assertThrows(IllegalArgumentException.class, () -> stored.values.bind(target))
                .getMessage());
    }

    static class Mail {
        @ConfigParam("mail.timeout")
        private volatile Duration timeout = Duration.ofSeconds(2);

        @ConfigParam("mail.hosts")
        volatile List<String> hosts = List.of();

        volatile String from = "";

        @ConfigParam("mail.from")
        void from(Optional<String> text) {
            from = text.orElse("nobody");
        }
    }

    static final class FastMail extends Mail {
        @ConfigParam(value = "mail.retries", orElse = "3")
        private volatile int retries;

        @Override
        @ConfigParam("mail.from")
        void from(Optional<String> text) {
            from = from + text.orElse("none");
        }
    }

    @Test
    void fieldsAreSetAlsoThoseOfSuperclasses() {
        FastMail mail = new FastMail();
        stored.values.bind(mail);
        assertEquals("none", mail.from);
        assertEquals(3, mail.retries);
        assertEquals(List.of(), stored.apply(Map.of("mail.timeout", "5s", "mail.hosts", "a, b", "mail.retries", "9")));
        assertEquals(Duration.ofSeconds(5), ((Mail) mail).timeout);
        assertEquals(List.of("a", "b"), mail.hosts);
        assertEquals(9, mail.retries);
        assertEquals(
                1,
                stored.apply(Map.of("mail.hosts", "c", "mail.retries", "4.5")).size());
        assertEquals(Duration.ofSeconds(2), ((Mail) mail).timeout);
        assertEquals(List.of("c"), mail.hosts);
        assertEquals(9, mail.retries);
    }

    static final class OnFinal {
        @ConfigParam("n")
        final List<String> n = new ArrayList<>();
    }

    static final class OnStatic {
        @ConfigParam("n")
        static void n(int n) {}
    }

    static final class OnTwo {
        @ConfigParam("n")
        void n(int n, int m) {}
    }

    static final class BadDefault {
        @ConfigParam(value = "n", orElse = "x")
        void n(int n) {}
    }

    static final class TwoDefaults {
        @ConfigParam(
                value = "n",
                orElse = {"1", "2"})
        void n(int n) {}
    }

    static final class NoConverter {
        @ConfigParam("n")
        void n(Thread n) {}
    }

    @Test
    void aMistakeIsNamed() {
        assertEquals("@ConfigParam of OnFinal.n must not be on a final field", message(new OnFinal()));
        assertEquals("@ConfigParam of OnStatic.n must not be on a static method", message(new OnStatic()));
        assertEquals("@ConfigParam of OnTwo.n must be on a method with one parameter", message(new OnTwo()));
        assertEquals(
                "orElse of @ConfigParam(\"n\") must be a whole number such as 40, -1, 10k or 64KiB",
                message(new BadDefault()));
        assertEquals("orElse of @ConfigParam(\"n\") must be one text, was 2", message(new TwoDefaults()));
        assertEquals("no converter for java.lang.Thread; the registry takes one", message(new NoConverter()));
        assertEquals("java.lang.Object must have a method or field with @ConfigParam", message(new Object()));
    }

    @Test
    void anObjectThatNobodyHoldsIsCollected() {
        stored.values.bind(new Gate());
        Gate bound = new Gate();
        WeakReference<Object> gate = new WeakReference<>(bound);
        stored.values.bind(bound);
        bound = null;
        Awaitility.await().until(() -> {
            System.gc();
            return gate.get() == null;
        });
        assertEquals(List.of(), stored.apply(Map.of("permits", "0")));
        Awaitility.await().until(() -> {
            stored.values.bind(new Gate()).close();
            return stored.store.listened() == 0;
        });
    }

    @Test
    void aRegistrationHoldsItsObject() {
        WeakReference<Object> gate;
        Gate bound = new Gate();
        gate = new WeakReference<>(bound);
        Registration registration = stored.values.bind(bound);
        bound = null;
        System.gc();
        assertEquals(1, stored.apply(Map.of("permits", "0")).size());
        registration.close();
        assertEquals(List.of(), stored.apply(Map.of("permits", "-1")));
        assertNotSame(null, gate.get());
    }
}
