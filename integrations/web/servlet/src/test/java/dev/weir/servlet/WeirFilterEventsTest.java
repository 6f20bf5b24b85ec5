package dev.weir.servlet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.http.HttpRejection;
import dev.weir.http.Route;
import dev.weir.http.Routes;
import dev.weir.testkit.VirtualTime;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Orders of events that no container on the class path can be made to have: it tells too little, twice, or too late. */
class WeirFilterEventsTest {
    private static final long TIMEOUT_MILLIS = 5_000;

    private final Recorded limits = new Recorded();
    private final Routes routes =
            Routes.builder(limits.names()).route(Route.of("/**", "calls")).build();
    private final VirtualTime time = new VirtualTime();
    private final WeirFilter filter = new WeirFilter(routes, Duration.ofHours(1), time);

    private final Map<String, Object> attributes = new HashMap<>();
    private final List<AsyncListener> listeners = new ArrayList<>();
    private DispatcherType type = DispatcherType.REQUEST;
    private boolean async;
    private boolean completed;
    private boolean recycled;
    private long timeoutMillis = TIMEOUT_MILLIS;
    private int status = 200;

    @AfterEach
    void close() {
        limits.close();
    }

    private static <T> T of(Class<T> type, Map<String, Function<Object[], @Nullable Object>> methods) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> {
                    Function<Object[], @Nullable Object> answer = methods.get(method.getName());
                    return answer == null ? null : answer.apply(given == null ? new Object[0] : given);
                }));
    }

    private final AsyncContext context =
            of(AsyncContext.class, Map.of("addListener", this::add, "getTimeout", given -> {
                checkAsync();
                return timeoutMillis;
            }));
    private final HttpServletRequest request = of(
            HttpServletRequest.class,
            Map.of(
                    "getDispatcherType", given -> type,
                    "getMethod", given -> "GET",
                    "getServletPath", given -> "/orders",
                    "getAttribute", given -> attributes.get(given[0]),
                    "setAttribute", given -> attributes.put((String) given[0], given[1]),
                    "isAsyncStarted",
                            given -> {
                                if (recycled) {
                                    throw new IllegalStateException("recycled");
                                }
                                return async;
                            },
                    "startAsync",
                            given -> {
                                async = true;
                                return context;
                            },
                    "getAsyncContext",
                            given -> {
                                checkAsync();
                                return context;
                            }));
    private final HttpServletResponse response = of(
            HttpServletResponse.class,
            Map.of("getStatus", given -> status, "setStatus", given -> status = (int) given[0]));

    private void checkAsync() {
        if (!async) {
            throw new IllegalStateException("not asynchronous");
        }
    }

    private @Nullable Object add(Object[] given) {
        if (completed) {
            throw new IllegalStateException("has completed");
        }
        listeners.add((AsyncListener) given[0]);
        return null;
    }

    private void serve(FilterChain chain) throws IOException, ServletException {
        filter.doFilter(request, response, chain);
    }

    private AsyncListener started() throws IOException, ServletException {
        serve((asked, answered) -> asked.startAsync());
        assertEquals(1, limits.inFlight());
        return listeners.get(listeners.size() - 1);
    }

    private void assertReleased(Outcome outcome) {
        assertEquals(List.of(outcome), limits.outcomes);
        assertEquals(0, limits.inFlight());
        assertEquals(0, time.pendingAlarms());
    }

    @Test
    void completionReleasesOnceHoweverOftenItIsTold() throws Exception {
        AsyncListener listener = started();
        status = 503;
        listener.onComplete(new AsyncEvent(context));
        listener.onComplete(new AsyncEvent(context));
        listener.onError(new AsyncEvent(context, new IOException()));
        assertReleased(Outcome.DROPPED);
    }

    @Test
    void anIoErrorReleasesWithoutACompletion() throws Exception {
        started().onError(new AsyncEvent(context, new IOException("Connection reset by peer")));
        assertReleased(Outcome.IGNORED);
    }

    @Test
    void aTimeOutOrAnotherErrorIsKeptUntilTheCompletion() throws Exception {
        AsyncListener listener = started();
        listener.onTimeout(new AsyncEvent(context));
        listener.onError(new AsyncEvent(context, new IllegalStateException()));
        assertEquals(1, limits.inFlight());
        listener.onComplete(new AsyncEvent(context));
        assertReleased(Outcome.DROPPED);
    }

    @Test
    void anErrorThatIsATimeOutDrops() throws Exception {
        AsyncListener listener = started();
        listener.onError(new AsyncEvent(context, new ServletException(new TimeoutException())));
        listener.onComplete(new AsyncEvent(context));
        assertReleased(Outcome.DROPPED);
    }

    @Test
    void ifTheContainerTellsNothingTheBoundReleasesAndCounts() throws Exception {
        started();
        time.advance(Duration.ofMillis(TIMEOUT_MILLIS).plus(WeirFilter.MARGIN).minusNanos(1));
        assertEquals(1, limits.inFlight());
        time.advance(1);
        assertReleased(Outcome.IGNORED);
        assertEquals(1, filter.overdue());
        listeners.get(0).onComplete(new AsyncEvent(context));
        assertReleased(Outcome.IGNORED);
    }

    @Test
    void theBoundDoesNotReleaseWhileADispatchRuns() throws Exception {
        started();
        type = DispatcherType.ASYNC;
        serve((asked, answered) -> {
            time.advance(Duration.ofMillis(TIMEOUT_MILLIS).plus(WeirFilter.MARGIN.multipliedBy(3)));
            assertEquals(1, limits.inFlight());
            assertEquals(0, filter.overdue());
            assertEquals(1, time.pendingAlarms());
        });
        assertEquals(1, limits.inFlight());
        time.advance(WeirFilter.MARGIN);
        assertReleased(Outcome.IGNORED);
        assertEquals(1, filter.overdue());
    }

    @Test
    void aDispatchThatOutlastedTheBoundEndsAsItDoes() throws Exception {
        AsyncListener listener = started();
        type = DispatcherType.ASYNC;
        serve((asked, answered) ->
                time.advance(Duration.ofMillis(TIMEOUT_MILLIS).plus(WeirFilter.MARGIN)));
        listener.onComplete(new AsyncEvent(context));
        assertReleased(Outcome.SUCCESS);
        assertEquals(0, filter.overdue());
    }

    @Test
    void anErrorThatIsToldBeforeTheChainReturnsReleases() throws Exception {
        serve((asked, answered) -> {
            asked.startAsync();
            listeners.get(0).onError(new AsyncEvent(context, new IOException("Connection reset by peer")));
        });
        assertReleased(Outcome.IGNORED);
    }

    @Test
    void brokenTwin_aListenerAfterTheChainThatHearsErrors() throws Exception {
        new ListenerAfterwards(routes, true).doFilter(request, response, (asked, answered) -> {
            asked.startAsync();
            for (AsyncListener listener : listeners) {
                listener.onError(new AsyncEvent(context, new IOException("Connection reset by peer")));
            }
        });
        assertEquals(1, limits.inFlight());
    }

    @Test
    void withoutATimeOutTheBoundIsThatOfTheFilter() throws Exception {
        timeoutMillis = 0;
        started();
        time.advance(Duration.ofHours(1).minusNanos(1));
        assertEquals(1, limits.inFlight());
        time.advance(1);
        assertReleased(Outcome.IGNORED);
        assertEquals(1, filter.overdue());
    }

    @Test
    void aStreamWhoseRequestWasRecycledIsReleasedWithinTenSeconds() throws Exception {
        timeoutMillis = 0;
        started();
        time.advance(Duration.ofMinutes(10));
        assertEquals(1, limits.inFlight(), "a stream may last");
        recycled = true;
        time.advance(Duration.ofSeconds(10));
        assertReleased(Outcome.IGNORED);
        assertEquals(1, filter.overdue());
        assertEquals(0, time.pendingAlarms());
    }

    @Test
    void aSecondAsynchronousAnswerIsListenedToAgain() throws Exception {
        AsyncListener listener = started();
        listeners.clear();
        listener.onStartAsync(new AsyncEvent(context));
        assertSame(listener, listeners.get(0));
        assertEquals(1, time.pendingAlarms());
        time.advance(Duration.ofMillis(TIMEOUT_MILLIS).plus(WeirFilter.MARGIN));
        assertEquals(1, limits.inFlight());
        listener.onComplete(new AsyncEvent(context));
        assertReleased(Outcome.SUCCESS);
    }

    @Test
    void anAnswerThatHasCompletedBeforeOneCanListenIsReleased() throws Exception {
        completed = true;
        serve((asked, answered) -> asked.startAsync());
        assertReleased(Outcome.SUCCESS);
    }

    @Test
    void anAnswerThatCompletesWhileTheChainReturnsIsReleasedByItsListener() throws Exception {
        serve((asked, answered) -> {
            asked.startAsync();
            async = false;
        });
        assertEquals(1, time.pendingAlarms());
        listeners.get(0).onComplete(new AsyncEvent(context));
        assertReleased(Outcome.SUCCESS);
    }

    @Test
    void anAnswerBegunOnTheOriginalRequestIsListenedToAfterwards() throws Exception {
        serve((asked, answered) -> request.startAsync());
        listeners.get(0).onComplete(new AsyncEvent(context));
        assertReleased(Outcome.SUCCESS);
    }

    @Test
    void nothingThatThrowsBeforeTheReleaseLosesThePermit() throws Exception {
        HttpServletResponse broken = of(HttpServletResponse.class, Map.of("getStatus", given -> {
            throw new NoClassDefFoundError("of the test");
        }));
        filter.doFilter(request, broken, (asked, answered) -> {});
        assertReleased(Outcome.IGNORED);
    }

    @Test
    void fieldsThatCannotBeWrittenLoseNothing() {
        HttpServletResponse broken = of(HttpServletResponse.class, Map.of("setHeader", given -> {
            throw new IllegalArgumentException("of the test");
        }));
        assertThrows(IllegalArgumentException.class, () -> filter.doFilter(request, broken, (asked, answered) -> {}));
        assertReleased(Outcome.IGNORED);
    }

    @Test
    void whatIsDispatchedAndASecondPassOfTheSameFilterAreNotAskedFor() throws Exception {
        serve((asked, answered) -> filter.doFilter(asked, answered, (again, answer) -> {
            assertEquals(1, limits.inFlight());
        }));
        assertReleased(Outcome.SUCCESS);
        attributes.clear();
        for (DispatcherType each : DispatcherType.values()) {
            if (each != DispatcherType.REQUEST) {
                type = each;
                serve((asked, answered) -> assertEquals(0, limits.inFlight()));
            }
        }
        assertReleased(Outcome.SUCCESS);
    }

    @Test
    void anotherFilterAsksForItself() throws Exception {
        WeirFilter other = new WeirFilter(routes);
        serve((asked, answered) ->
                other.doFilter(asked, answered, (again, answer) -> assertEquals(2, limits.inFlight())));
        assertEquals(List.of(Outcome.SUCCESS, Outcome.SUCCESS), limits.outcomes);
    }

    @Test
    void anAnswerThatIsTheRefusalOfAnotherIsIgnored() throws Exception {
        serve((asked, answered) -> {
            asked.setAttribute(HttpRejection.ATTRIBUTE, true);
            status = 503;
        });
        assertReleased(Outcome.IGNORED);
    }

    @Test
    void anInterruptedWaitIs503AndStaysInterrupted() throws Exception {
        List<Permit> all = new ArrayList<>();
        while (limits.registry.limiter("calls").tryAcquire() instanceof Permit permit) {
            all.add(permit);
        }
        Thread.currentThread().interrupt();
        serve((asked, answered) -> {
            throw new AssertionError("must not be reached");
        });
        assertTrue(Thread.interrupted());
        assertEquals(503, status);
        all.forEach(Permit::close);
        assertEquals(0, limits.inFlight());
    }

    @Test
    void theBoundIsChecked() {
        assertEquals(
                "longest must be > 0, was PT0S",
                assertThrows(IllegalArgumentException.class, () -> new WeirFilter(routes, Duration.ZERO, time))
                        .getMessage());
    }
}
