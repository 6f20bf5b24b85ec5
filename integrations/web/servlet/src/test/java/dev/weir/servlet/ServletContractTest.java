package dev.weir.servlet;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.http.Routes;
import dev.weir.testkit.EdgeContract.Scenario;
import jakarta.servlet.Filter;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The load of the contract finds the filters that lose few permits of many. */
@Tag("nightly")
@Tag("real-time")
class ServletContractTest {
    private static final int STREAMS = 4_000;

    @Test
    void brokenTwin_aListenerAfterTheChain() throws Exception {
        assertLoses(false);
    }

    @Test
    void brokenTwin_aListenerAfterTheChainThatHearsErrors() throws Exception {
        assertLoses(true);
    }

    private static void assertLoses(boolean hearsErrors) throws Exception {
        ServletContract contract = new ServletContract() {
            @Override
            Filter filter(Routes routes) {
                return new ListenerAfterwards(routes, hearsErrors);
            }
        };
        contract.open();
        try {
            assertThrows(AssertionError.class, () -> contract.load(List.of(Scenario.STREAM), STREAMS));
        } finally {
            contract.close();
        }
    }
}
