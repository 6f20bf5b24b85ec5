package dev.weir.servlet;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.http.HttpOutcome;
import dev.weir.http.Routes;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** The filter that one writes first: it adds its listener when the chain has returned. It may hear only of completions. */
record ListenerAfterwards(Routes routes, boolean hearsErrors) implements Filter {
    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Permit permit = request.getDispatcherType() == DispatcherType.REQUEST ? permit(request) : null;
        if (permit == null) {
            chain.doFilter(request, response);
            return;
        }
        try {
            chain.doFilter(request, response);
        } catch (Throwable thrown) {
            permit.release(HttpOutcome.of(thrown));
            throw thrown;
        }
        if (!request.isAsyncStarted()) {
            permit.release(Outcome.SUCCESS);
            return;
        }
        try {
            request.getAsyncContext().addListener(new Releasing(permit));
        } catch (IllegalStateException completed) {
            permit.release(Outcome.SUCCESS);
        }
    }

    private Permit permit(ServletRequest request) {
        try {
            return (Permit) Objects.requireNonNull(routes.limited(new ServletHttpRequest((HttpServletRequest) request)))
                    .acquire();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private final class Releasing implements AsyncListener {
        private final Permit permit;
        private final AtomicBoolean released = new AtomicBoolean();

        Releasing(Permit permit) {
            this.permit = permit;
        }

        private void release(Outcome how) {
            if (released.compareAndSet(false, true)) {
                permit.release(how);
            }
        }

        @Override
        public void onComplete(AsyncEvent event) {
            release(Outcome.SUCCESS);
        }

        @Override
        public void onError(AsyncEvent event) {
            if (hearsErrors) {
                release(Outcome.IGNORED);
            }
        }

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {
            event.getAsyncContext().addListener(this);
        }
    }
}
