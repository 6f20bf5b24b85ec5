package dev.weir.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/**
 * A request that adds the listener which releases its permit while it begins to be asynchronous. After the call it may be too late:
 * another thread may have written to a connection that is gone, and then a container calls no listener that is added afterwards.
 */
final class LimitedServletRequest extends HttpServletRequestWrapper {
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
