package dev.weir.servlet;

import dev.weir.http.HttpRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A request to a servlet as routes and keys read it. */
record ServletHttpRequest(HttpServletRequest request) implements HttpRequest {
    private static final String SLASH = "(?:/|\\\\|%2f|%5c)";
    private static final Pattern DOTS =
            Pattern.compile(SLASH + "(?:[.]|%2e){1,2}(?:;|$|" + SLASH + ")", Pattern.CASE_INSENSITIVE);

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

    /**
     * True if a segment of the path is {@code .} or {@code ..}, however it is written. A container resolves these, and frameworks such
     * as Spring MVC, which read the path again, do not: each could see a path with another limit.
     */
    boolean isAmbiguous() {
        String path = request.getRequestURI();
        return path != null && mayHaveDots(path) && DOTS.matcher(path).find();
    }

    private static boolean mayHaveDots(String path) {
        return path.contains("/.") || path.indexOf('%') >= 0 || path.indexOf('\\') >= 0;
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
