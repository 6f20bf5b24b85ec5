package dev.weir.config.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.config.value.ValueStore.Change;
import dev.weir.spi.Registration;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A value follows its key; what is bad changes nothing and is reported. */
class ConfigValueTest {
    private final StoredValues stored = new StoredValues();
    private final ConfigValue<Duration> timeout =
            stored.values.value("mail.timeout", Duration.class, Duration.ofSeconds(2));

    @AfterEach
    void close() {
        stored.close();
    }

    @Test
    void isTheDefaultUntilADocumentHasTheKey() {
        assertEquals(Duration.ofSeconds(2), timeout.get());
        assertEquals(List.of(), stored.apply(Map.of("other", "1")));
        assertEquals(Duration.ofSeconds(2), timeout.get());
        assertEquals(List.of(), stored.apply(Map.of("mail.timeout", "5s")));
        assertEquals(Duration.ofSeconds(5), timeout.get());
        assertEquals(
                Duration.ofSeconds(5),
                stored.values
                        .value("mail.timeout", Duration.class, Duration.ZERO)
                        .get());
    }

    @Test
    void isTheDefaultAgainWhenTheKeyIsRemoved() {
        stored.apply(Map.of("mail.timeout", "5s"));
        assertEquals(List.of(), stored.apply(Map.of()));
        assertEquals(Duration.ofSeconds(2), timeout.get());
    }

    @Test
    void keepsTheLastGoodValueAndReportsTheRule() {
        stored.apply(Map.of("mail.timeout", "5s"));
        String problem = "v2: values.mail.timeout must be a duration such as 200ms, 5s, 1h or PT5S";
        assertEquals(List.of(problem), stored.apply(Map.of("mail.timeout", "hunter2")));
        assertEquals(Duration.ofSeconds(5), timeout.get());
        assertEquals(List.of(problem.replace("v2", "v3")), stored.apply(Map.of("mail.timeout", "hunter2")));
        assertEquals(List.of(), stored.apply(Map.of("mail.timeout", "6s")));
        assertEquals(Duration.ofSeconds(6), timeout.get());
        assertEquals(List.of(), stored.reports);
    }

    @Test
    void aBadValueThatIsThereAlreadyIsReportedAndTheDefaultHolds() {
        stored.apply(Map.of("size", "much"));
        assertEquals(7L, stored.values.value("size", long.class, 7L).get());
        assertEquals(List.of("v1: values.size must be a whole number such as 40, -1, 10k or 64KiB"), stored.reports);
    }

    @Test
    void aValueThatBreaksItsRuleIsRefused() {
        ConfigValue<Integer> permits = stored.values.value("permits", int.class, 40, n -> n > 0, "must be > 0");
        assertEquals(List.of("v1: values.permits must be > 0"), stored.apply(Map.of("permits", "0")));
        assertEquals(40, permits.get());
        ConfigValue<Integer> fails = stored.values.value("fails", int.class, 0, n -> 1 / (n - 1) < 1, "must be fine");
        assertEquals(
                List.of("v2: values.fails must be fine, and its check threw java.lang.ArithmeticException"),
                stored.apply(Map.of("permits", "1", "fails", "1")));
        assertEquals(0, fails.get());
        assertEquals(1, permits.get());
        assertThrows(
                IllegalArgumentException.class,
                () -> stored.values.value("permits", int.class, 0, n -> n > 0, "must be > 0"));
    }

    @Test
    void listsAndOptionsFollowTheirKeys() {
        ConfigValue<List<String>> hosts = stored.values.list("hosts", String.class, List.of("localhost"));
        ConfigValue<Optional<Integer>> port = stored.values.optional("port", int.class);
        assertEquals(List.of("localhost"), hosts.get());
        assertEquals(Optional.empty(), port.get());
        stored.apply(Map.of("hosts", "a, b", "port", "80"));
        assertEquals(List.of("a", "b"), hosts.get());
        assertEquals(Optional.of(80), port.get());
        stored.apply(Map.of());
        assertEquals(Optional.empty(), port.get());
    }

    @Test
    void aListOfTheDocumentKeepsItsElementsApart() {
        ConfigValue<List<String>> hosts = stored.values.list("hosts", String.class, List.of());
        ConfigValue<String> host = stored.values.value("hosts", String.class, "none");
        assertEquals(
                List.of("v1: values.hosts must be one text, was a list"),
                stored.apply(Map.of("hosts[0]", "a, b", "hosts[1]", "")));
        assertEquals(List.of("a, b", ""), hosts.get());
        assertEquals("none", host.get());
    }

    @Test
    void changesNameTheKeysOnly() {
        stored.apply(Map.of("a", "1", "b", "2", "c", "3"));
        assertEquals(
                List.of(new Change("a", true, false), new Change("b", true, true), new Change("d", false, true)),
                stored.store.apply(Map.of("b", "3", "c", "3", "d", "4"), "v2", problem -> {}));
    }

    @Test
    void listenersAreToldEachChangeInOrderAndNothingElse() {
        List<Duration> told = Collections.synchronizedList(new ArrayList<>());
        stored.apply(Map.of("mail.timeout", "1s"));
        Registration registration = timeout.onChange(now -> {
            assertEquals(now, timeout.get());
            told.add(now);
        });
        stored.apply(Map.of("mail.timeout", "1s"));
        stored.apply(Map.of("mail.timeout", "1000ms", "other", "1"));
        stored.apply(Map.of("mail.timeout", "3s"));
        stored.apply(Map.of("mail.timeout", "bad"));
        stored.apply(Map.of());
        stored.apply(Map.of("mail.timeout", "4s"));
        registration.close();
        registration.close();
        stored.apply(Map.of("mail.timeout", "5s"));
        assertEquals(List.of(Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofSeconds(4)), told);
    }

    @Test
    void aListenerThatThrowsIsReportedAndHurtsNoOther() {
        List<Duration> told = new ArrayList<>();
        timeout.onChange(now -> {
            throw new AssertionError("cannot use " + now);
        });
        timeout.onChange(told::add);
        assertEquals(
                List.of(
                        "v1: values.mail.timeout must be accepted by its listener, which threw java.lang.AssertionError"),
                stored.apply(Map.of("mail.timeout", "1s")));
        assertEquals(List.of(Duration.ofSeconds(1)), told);
        assertEquals(Duration.ofSeconds(1), timeout.get());
    }

    @Test
    void aListenerMayUseTheValuesAndCloseItself() {
        List<Integer> told = new ArrayList<>();
        List<Registration> own = new ArrayList<>();
        own.add(timeout.onChange(now -> {
            told.add(stored.values.value("n", int.class, 0).get());
            own.get(0).close();
        }));
        stored.apply(Map.of("mail.timeout", "1s", "n", "1"));
        stored.apply(Map.of("mail.timeout", "2s", "n", "2"));
        assertEquals(List.of(1), told);
    }

    /** Which a listener, and only a listener, prevents. */
    @Test
    void aValueThatNobodyHoldsIsCollected() {
        List<Integer> told = Collections.synchronizedList(new ArrayList<>());
        WeakReference<Object> held = new WeakReference<>(stored.values.value("n", int.class, 0));
        Registration[] registration = {stored.values.value("n", int.class, 0).onChange(told::add)};
        Awaitility.await().until(() -> {
            System.gc();
            return held.get() == null;
        });
        stored.apply(Map.of("n", "1"));
        assertEquals(List.of(1), told);
        registration[0].close();
    }

    @Test
    void doesNotShowItsValue() {
        stored.apply(Map.of("mail.timeout", "5s"));
        assertEquals("ConfigValue[mail.timeout]", timeout.toString());
        assertEquals("mail.timeout", timeout.key());
    }

    @Test
    void refusesAnEmptyKeyAndTypesWithoutConverter() {
        assertThrows(IllegalArgumentException.class, () -> stored.values.value("", int.class, 1));
        Thread thread = Thread.currentThread();
        assertThrows(IllegalArgumentException.class, () -> stored.values.value("t", Thread.class, thread));
    }

    @Test
    void twoStoresDoNotMeet() {
        try (StoredValues other = new StoredValues()) {
            other.apply(Map.of("mail.timeout", "9s"));
            assertEquals(Duration.ofSeconds(2), timeout.get());
            assertFalse(stored.reports.contains("9s"));
        }
    }
}
