package dev.weir.servlet;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** A servlet container on a free port of this machine, by HTTP/1.1 and HTTP/2 without TLS, which one or the other line of servers is. */
interface TestContainer {
    /** Held here, because a logger without a strong reference is collected, and its level is lost. */
    List<Logger> QUIET = List.of(Logger.getLogger("org.apache"), Logger.getLogger("org.eclipse.jetty"));

    int port();

    void stop() throws Exception;

    /** Starts it with this servlet for all paths, and these filters before it, for all that is dispatched. */
    void start(HttpServlet servlet, Filter... filters) throws Exception;

    /** The one on the class path. */
    static TestContainer started(HttpServlet servlet, Filter... filters) throws Exception {
        QUIET.forEach(logger -> logger.setLevel(Level.OFF)); // what fails here does so on purpose
        TestContainer container = found();
        container.start(servlet, filters);
        return container;
    }

    private static TestContainer found() throws ReflectiveOperationException {
        try {
            return of("JettyContainer");
        } catch (ClassNotFoundException e) {
            return of("TomcatContainer");
        }
    }

    private static TestContainer of(String name) throws ReflectiveOperationException {
        return (TestContainer) Class.forName(TestContainer.class.getPackageName() + '.' + name)
                .getDeclaredConstructor()
                .newInstance();
    }
}
