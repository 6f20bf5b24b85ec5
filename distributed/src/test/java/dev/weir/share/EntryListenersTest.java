package dev.weir.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.spi.Registration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EntryListenersTest {
    private final EntryListeners listeners = new EntryListeners();
    private final List<String> called = new ArrayList<>();

    @Test
    void onlyThoseOfAnEntryHearOfItsChange() {
        listeners.add("a", () -> called.add("a1"));
        listeners.add("b", () -> called.add("b"));
        listeners.add("a", () -> called.add("a2"));
        listeners.changed("a");
        assertEquals(List.of("a1", "a2"), called);
        listeners.allChanged();
        assertEquals(List.of("a1", "a2", "a1", "b", "a2"), called);
    }

    /** Two registrations of the same action are two. */
    @Test
    void aRegistrationIsClosedOnce() {
        Runnable action = () -> called.add("a");
        Registration first = listeners.add("a", action);
        listeners.add("a", action);
        first.close();
        first.close();
        listeners.changed("a");
        assertEquals(List.of("a"), called);
        listeners.clear();
        listeners.allChanged();
        assertEquals(List.of("a"), called);
    }

    @Test
    void anActionThatFailsKeepsNobodyFromBeingCalled() {
        listeners.add("a", () -> {
            throw new IllegalStateException("no");
        });
        listeners.add("a", () -> called.add("a"));
        listeners.changed("a");
        listeners.allChanged();
        assertEquals(List.of("a", "a"), called);
    }

    @Test
    void namesAreChecked() {
        assertThrows(IllegalArgumentException.class, () -> listeners.add("a/b", () -> {}));
        assertTrue(listeners.isEmpty());
        listeners.add("a", () -> {});
        assertFalse(listeners.isEmpty());
    }
}
