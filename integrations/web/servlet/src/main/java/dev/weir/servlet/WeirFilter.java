package dev.weir.servlet;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.http.HttpRejection;
import dev.weir.http.LimitedRequest;
import dev.weir.http.Routes;
import dev.weir.internal.Durations;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The limits of {@link Routes} before servlets. A request is asked for once, when it comes in; what a container dispatches for it
 * afterwards (errors, forwards, asynchronous answers) passes. The permit is released once, when the answer has ended, also one that is
 * asynchronous. A path with the segments {@code .} or {@code ..} is answered 400: containers and frameworks read it in different ways.
 * Thread-safe. Blocks as long as the limits let a request wait.
 *
 * <pre>{@code
 * FilterRegistration.Dynamic limits = context.addFilter("limits", new WeirFilter(routes));
 * limits.setAsyncSupported(true);
 * limits.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC), false, "/*");
 * }</pre>
 *
 * <p>The outcome of a request is that of {@link dev.weir.http.HttpOutcome}, and {@code DROPPED} if an asynchronous answer timed out.
 *
 * <p>An asynchronous answer has ended when the container tells so. After a disconnect:
 *
 * <ul>
 *   <li>It does, if what has failed to write calls {@code complete}. After a {@code dispatch} Tomcat 11 sometimes tells nothing before
 *       the time-out.
 *   <li>If that just stops, Tomcat 10.1 and 11 tell of the error, and this releases the permit; of the completion they do not tell, if
 *       a listener answers the error with a {@code dispatch}, as Spring MVC does. Jetty 12.1 tells nothing by HTTP/1.1.
 *   <li>Code that writes while Tomcat tells of the error may hand it to the next request that has the same objects: a
 *       client that is there gets a failed write. If that just stops, no container tells, for its answer has not ended.
 * </ul>
 *
 * <p>The permit of an answer of which no container tells is released when its time-out and {@link #MARGIN} have passed, but not while a
 * dispatch of it runs: that is logged once, and {@link #overdue} counts it. So is that of an answer without a time-out, within ten
 * seconds after its container has recycled the request (Tomcat 10.1 sometimes tells nothing of a client that has gone).
 */
public final class WeirFilter implements Filter {
    /** The time from the time-out of an asynchronous answer until its permit is released at the latest: 30 seconds. */
    public static final Duration MARGIN = Duration.ofSeconds(30);

    private static final Duration LONGEST = Duration.ofDays(1);
    private static final Duration WATCH = Duration.ofSeconds(10);
    private static final Logger LOG = System.getLogger(WeirFilter.class.getName());

    private final Routes routes;
    private final long longestNanos;
    private final Alarm alarm;
    private final AtomicLong overdue = new AtomicLong();
    /* Of the request that this filter has asked for. Each filter has its own, so that several may stand in one chain. */
    private final String mark = WeirFilter.class.getName() + '@' + Integer.toHexString(System.identityHashCode(this));

    /** A filter that takes an asynchronous answer without a time-out as ended after a day. */
    public WeirFilter(Routes routes) {
        this(routes, LONGEST, Alarm.system());
    }

    /**
     * A filter with this bound of time.
     *
     * @param longest an asynchronous answer without a time-out of its own is taken as ended after this, and so is one that a dispatch
     *     has begun
     * @param alarm measures the bounds
     * @throws IllegalArgumentException if {@code longest} is not positive
     */
    public WeirFilter(Routes routes, Duration longest, Alarm alarm) {
        this.routes = Objects.requireNonNull(routes, "routes");
        this.alarm = Objects.requireNonNull(alarm, "alarm");
        longestNanos = TimeUnit.NANOSECONDS.convert(Durations.positive("longest", longest));
    }

    /**
     * The number of permits that were released by a bound of time, because the container had not told that the answer had
     * ended. More than 0 is a defect of the container, or of what stands between it and this filter.
     */
    public long overdue() {
        return overdue.get();
    }

    /** Logs each route with its limits, as {@link Level#INFO}. */
    @Override
    public void init(FilterConfig config) {
        routes.describe().forEach(line -> LOG.log(Level.INFO, line));
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse answer)) {
            chain.doFilter(request, response);
            return;
        }
        Object marked = http.getAttribute(mark);
        if (request.getDispatcherType() == DispatcherType.REQUEST && marked == null) {
            limit(http, answer, chain);
        } else if (request.getDispatcherType() == DispatcherType.ASYNC && marked instanceof RequestPermit held) {
            resumed(held, request, response, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    /* Of an answer that has begun, Jetty 12.1 does not tell that what it has dispatched has failed. */
    private static void resumed(RequestPermit held, ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        held.dispatched();
        try {
            chain.doFilter(request, response);
        } catch (Throwable thrown) {
            held.threw(thrown);
            throw thrown;
        } finally {
            held.dispatchReturned();
        }
    }

    private void limit(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        ServletHttpRequest seen = new ServletHttpRequest(request);
        if (seen.isAmbiguous()) {
            response.setStatus(HttpServletResponse.SC_BAD_REQUEST);
            return;
        }
        LimitedRequest limited = routes.limited(seen);
        if (limited == null) {
            chain.doFilter(request, response);
            return;
        }
        // Made first: between the grant and the try below, nothing can fail.
        RequestPermit held = new RequestPermit(this, request, response);
        LimitedServletRequest guarded = new LimitedServletRequest(request, held);
        request.setAttribute(mark, held);
        Decision decision;
        try {
            decision = limited.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            return;
        }
        if (decision instanceof Rejection rejection) {
            refuse(limited.answer(rejection), request, response);
            return;
        }
        Permit permit = (Permit) decision;
        held.hold(permit);
        try {
            limited.write(permit, response::setHeader);
            chain.doFilter(guarded, response);
        } catch (Throwable thrown) {
            held.threw(thrown);
            throw thrown;
        }
        held.returned();
    }

    private static void refuse(HttpRejection rejected, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        request.setAttribute(HttpRejection.ATTRIBUTE, rejected);
        response.setStatus(rejected.status());
        rejected.fields().forEach(response::setHeader);
        String body = rejected.body();
        if (body != null) {
            response.setContentType("application/problem+json");
            response.setContentLength(body.length());
            response.getOutputStream().write(body.getBytes(StandardCharsets.US_ASCII));
        }
    }

    Registration ring(long timeoutMillis, RequestPermit held) {
        return timeoutMillis > 0
                ? ring(Duration.ofMillis(timeoutMillis).plus(MARGIN), held)
                : watch(longestNanos, held);
    }

    /* An answer without a time-out may last long; that its container has recycled the request shows that it has ended. */
    Registration watch(long leftNanos, RequestPermit held) {
        int answer = held.answers();
        long nextNanos = Math.min(leftNanos, WATCH.toNanos());
        return alarm.ring(nextNanos, () -> {
            if (held.isRecycled() || (leftNanos == nextNanos && !held.isDispatched())) {
                end(held, Duration.ofNanos(longestNanos - leftNanos + nextNanos));
            } else if (leftNanos == nextNanos) {
                held.again(answer, () -> ring(MARGIN, held));
            } else {
                held.again(answer, () -> watch(leftNanos - nextNanos, held));
            }
        });
    }

    Registration ring(Duration after, RequestPermit held) {
        int answer = held.answers();
        return alarm.ring(TimeUnit.NANOSECONDS.convert(after), () -> {
            if (held.isDispatched()) {
                held.again(answer, () -> ring(MARGIN, held));
            } else {
                end(held, after);
            }
        });
    }

    private void end(RequestPermit held, Duration after) {
        if (held.overdue() && overdue.getAndIncrement() == 0) {
            LOG.log(
                    Level.WARNING,
                    "The server has not told that an asynchronous answer has ended; its permit was released after "
                            + after + ". Others are counted, and not logged");
        }
    }

    /**
     * A request that adds the listener which releases its permit while it begins to be asynchronous. After the call it may be too late:
     * another thread may have written to a connection that is gone, and then a container calls no listener that is added afterwards.
     */
    private static final class LimitedServletRequest extends HttpServletRequestWrapper {
        private final RequestPermit held;

        LimitedServletRequest(HttpServletRequest request, RequestPermit held) {
            super(request);
            this.held = held;
        }

        @Override
        public AsyncContext startAsync() {
            return held.listeningTo(super.startAsync());
        }

        @Override
        public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
            return held.listeningTo(super.startAsync(request, response));
        }
    }
}
