package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.Outcome;
import dev.weir.Permit;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The contract finds each mistake that an edge usually has. */
@Tag("nightly")
class EdgeContractTest {
    private static void assertFails(EdgeContract edge) {
        assertThrows(AssertionError.class, () -> {
            edge.openTheEdge();
            try {
                for (DynamicTest test : tests(edge).toList()) {
                    test.getExecutable().execute();
                }
            } finally {
                edge.closeTheEdge();
            }
        });
    }

    private static Stream<DynamicTest> tests(EdgeContract edge) {
        return Stream.concat(edge.eachCallIsDecidedAndReleasedOnce(), edge.anAbortWhileThePermitIsHeldReleasesItOnce());
    }

    @Test
    void brokenTwin_aPermitOfAnAbortedCallIsLost() {
        assertFails(new SmallEdgeTest() {
            @Override
            void ended(Permit permit, Outcome outcome, CompletableFuture<Void> aborted) {
                if (!aborted.isDone()) {
                    permit.release(outcome);
                }
            }
        });
    }

    @Test
    void brokenTwin_aPermitIsReleasedTwice() {
        assertFails(new SmallEdgeTest() {
            @Override
            void ended(Permit permit, Outcome outcome, CompletableFuture<Void> aborted) {
                permit.release(outcome);
                permit.release(outcome);
            }
        });
    }

    @Test
    void brokenTwin_allOutcomesAreTheSame() {
        assertFails(new SmallEdgeTest() {
            @Override
            void ended(Permit permit, Outcome outcome, CompletableFuture<Void> aborted) {
                permit.release(Outcome.SUCCESS);
            }
        });
    }

    @Test
    void brokenTwin_aCallIsDecidedTwice() {
        assertFails(new SmallEdgeTest() {
            @Override
            void ended(Permit permit, Outcome outcome, CompletableFuture<Void> aborted) {
                permit.release(outcome);
                if (limiter().tryAcquire() instanceof Permit second) {
                    second.release(outcome);
                }
            }
        });
    }
}
