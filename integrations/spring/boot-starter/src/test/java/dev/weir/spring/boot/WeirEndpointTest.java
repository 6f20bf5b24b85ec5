package dev.weir.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.spring.boot.WeirEndpoint.Explained;
import dev.weir.spring.boot.WeirEndpoint.Limit;
import dev.weir.spring.boot.WeirEndpoint.Overview;
import dev.weir.spring.boot.WeirEndpoint.Patch;
import dev.weir.spring.boot.WeirEndpoint.Wrong;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What the endpoint tells, and what it lets an operator do. */
final class WeirEndpointTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    WeirAutoConfiguration.class,
                    WeirRoutesAutoConfiguration.class,
                    WeirEndpointAutoConfiguration.class))
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=weir",
                    "weir.limits.checkout.concurrency=20",
                    "weir.limits.checkout.queue.capacity=50",
                    "weir.limits.mail.rate=5/s",
                    "weir.web.routes[0].path=POST /orders",
                    "weir.web.routes[0].limits=checkout,mail");

    @Test
    void itTellsTheDocumentAllLimitsAndTheRoutes() {
        with(endpoint -> {
            Overview all = endpoint.all();
            assertEquals("environment", all.document().source());
            assertEquals(List.of("POST /orders: checkout, mail"), all.routes());
            Limit checkout = all.limits().get(0);
            assertEquals("checkout", checkout.name());
            assertEquals("document", checkout.writer());
            assertEquals("concurrency 20, queue.capacity 50", checkout.settings());
            assertEquals(20, checkout.limit());
            assertEquals(0, checkout.inFlight());
            assertEquals(0, checkout.waiting());
            assertNull(all.limits().get(1).waiting());
        });
    }

    @Test
    void oneLimitIsExplained() {
        with(endpoint -> {
            Explained checkout =
                    assertInstanceOf(Explained.class, endpoint.one("checkout").getBody());
            assertEquals("checkout: 20 now, by document", checkout.text().get(0));
            assertEquals(1, checkout.changes().size());
        });
    }

    @Test
    void anOverrideIsAPatchAndEnds() {
        with(endpoint -> {
            Explained given = assertInstanceOf(
                    Explained.class,
                    endpoint.override("checkout", "{concurrency: 5}", "10m", "ann", "incident 7", null)
                            .getBody());
            assertEquals("concurrency 5, queue.capacity 50", given.limit().settings());
            Patch patch = given.limit().override();
            assertEquals(Map.of("concurrency", "5"), patch == null ? null : patch.patch());
            assertEquals("ann", patch == null ? null : patch.who());

            Explained ended =
                    assertInstanceOf(Explained.class, endpoint.end("checkout").getBody());
            assertEquals("concurrency 20, queue.capacity 50", ended.limit().settings());
            assertEquals(404, endpoint.end("checkout").getStatus());
        });
    }

    @Test
    void anOverrideForOtherSettingsThanThoseOfNowIsAConflict() {
        with(endpoint -> {
            long seen = endpoint.all().limits().get(0).revision();
            Explained given = assertInstanceOf(
                    Explained.class,
                    endpoint.override("checkout", "concurrency: 5", "10m", "ann", "incident 7", seen)
                            .getBody());
            assertTrue(given.limit().revision() > seen);
            assertWrong(
                    409,
                    "must have the revision " + seen,
                    endpoint.override("checkout", "concurrency: 6", "10m", "ben", "incident 7", seen));
            assertEquals(5, endpoint.all().limits().get(0).limit());
            assertEquals(200, endpoint.end("checkout").getStatus());
            assertEquals(20, endpoint.all().limits().get(0).limit());
        });
    }

    @Test
    void aWrongOverrideIsToldWhatIsWrong() {
        with(endpoint -> {
            assertWrong(
                    400,
                    "concurrency must be >= 1",
                    endpoint.override("checkout", "concurrency: 0", "1m", "a", "b", null));
            assertWrong(400, "must be a map of fields", endpoint.override("checkout", "5", "1m", "a", "b", null));
            assertWrong(400, "patch must be given", endpoint.override("checkout", null, "1m", "a", "b", null));
            assertWrong(
                    400, "who must be given", endpoint.override("checkout", "concurrency: 5", "1m", " ", "b", null));
            assertWrong(
                    400, "why must be given", endpoint.override("checkout", "concurrency: 5", "1m", "a", null, null));
            assertWrong(
                    400,
                    "duration must be such as 10m, was \"soon\"",
                    endpoint.override("checkout", "concurrency: 5", "soon", "a", "b", null));
            assertWrong(
                    400,
                    "duration must have a unit, such as 10m, was \"10\"",
                    endpoint.override("checkout", "concurrency: 5", "10", "a", "b", null));
            assertWrong(
                    400, "duration must be > 0", endpoint.override("checkout", "concurrency: 5", "0s", "a", "b", null));
            for (String ages : new String[] {"400000000000d", "PT9223372036854775807S", "9999999999999999999s"}) {
                assertEquals(
                        400,
                        endpoint.override("checkout", "concurrency: 5", ages, "a", "b", null)
                                .getStatus(),
                        ages);
            }
            assertWrong(
                    404,
                    "did you mean checkout?",
                    endpoint.override("chekout", "concurrency: 5", "1m", "a", "b", null));
            assertWrong(404, "did you mean mail?", endpoint.one("mial"));
            assertEquals(20, endpoint.all().limits().get(0).limit());
        });
    }

    private static void assertWrong(int status, String problem, WebEndpointResponse<Object> answer) {
        assertEquals(status, answer.getStatus());
        Wrong wrong = assertInstanceOf(Wrong.class, answer.getBody());
        assertTrue(
                wrong.problems().toString().contains(problem),
                () -> wrong.problems().toString());
    }

    private void with(Consumer<WeirEndpoint> use) {
        runner.run(context -> use.accept(context.getBean(WeirEndpoint.class)));
    }
}
