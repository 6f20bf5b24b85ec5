package dev.weir.servlet;

import dev.weir.http.HttpRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request to a servlet as routes and keys read it. */
record ServletHttpRequest(HttpServletRequest request) implements HttpRequest {
    @Override
    public String method() {
        return request.getMethod();
    }

    /* By these two the container has chosen the servlet: they are decoded, normalized and without parameters. */
    @Override
    public String path() {
        String rest = request.getPathInfo();
        String path = rest == null ? request.getServletPath() : request.getServletPath() + rest;
        return path.isEmpty() ? "/" : path;
    }

    @Override
    public List<String> header(String name) {
        Enumeration<String> lines = request.getHeaders(name);
        return lines == null ? List.of() : Collections.list(lines);
    }

    @Override
    public @Nullable String peer() {
        return request.getRemoteAddr();
    }

    @Override
    public @Nullable String user() {
        Principal principal = request.getUserPrincipal();
        return principal == null ? request.getRemoteUser() : principal.getName();
    }
}
