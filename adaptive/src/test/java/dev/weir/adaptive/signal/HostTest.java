package dev.weir.adaptive.signal;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HostTest {
    @Test
    void startsAwayFromTheCallerAndThenTellsOfTheMachine() {
        Host host = new Host();
        assertTrue(Double.isNaN(host.memory()), "not up yet");
        await().until(() -> !Double.isNaN(host.memory()));
        assertTrue(host.memory() > 0 && host.memory() < 1);
        await().until(() -> !Double.isNaN(host.cpu()));
        assertTrue(host.cpu() >= 0 && host.cpu() <= 1);
    }
}
