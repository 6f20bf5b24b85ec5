package dev.weir.servlet;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.http.HttpRejection;
import dev.weir.http.LimitedRequest;
import dev.weir.http.Routes;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
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
 * <p>After a disconnect a container may not tell of the end of an asynchronous answer. Its permit is released when its time-out and
 * {@link #MARGIN} have passed: that is logged once, and {@link #overdue} counts it.
 */
public final class WeirFilter implements Filter {
    /** How long after the time-out of an asynchronous answer its permit is released at the latest: 30 seconds. */
    public static final Duration MARGIN = Duration.ofSeconds(30);

    private static final Duration LONGEST = Duration.ofDays(1);
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
        if (longest.isZero() || longest.isNegative()) {
            throw new IllegalArgumentException("longest must be > 0, was " + longest);
        }
        longestNanos = nanos(longest);
    }

    /**
     * How many permits were released by a bound of time, because the container had not told that the answer had ended. More than 0
     * is a defect of the container, or of what stands between it and this filter.
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
        try {
            chain.doFilter(request, response);
        } catch (Throwable thrown) {
            held.threw(thrown);
            throw thrown;
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
        long nanos = timeoutMillis > 0 ? nanos(Duration.ofMillis(timeoutMillis).plus(MARGIN)) : longestNanos;
        return alarm.ring(nanos, () -> {
            if (held.overdue() && overdue.getAndIncrement() == 0) {
                LOG.log(
                        Level.WARNING,
                        "The server has not told that an asynchronous answer has ended; its permit was released after "
                                + Duration.ofNanos(nanos) + ". Others are counted, and not logged");
            }
        });
    }

    private static long nanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException tooLong) {
            return Long.MAX_VALUE;
        }
    }
}
