package consumers;

import dev.weir.algorithms.FixedWindow;
import dev.weir.config.LimiterRegistry;
import dev.weir.http.Route;
import dev.weir.http.Routes;
import dev.weir.servlet.WeirFilter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** A servlet on Tomcat behind a limit, while that decides and is changed. */
public final class Servlet {
    private Servlet() {}

    public static void main(String[] args) throws Exception {
        TomcatURLStreamHandlerFactory.disable(); // it is for the whole JVM
        try (LimiterRegistry registry = LimiterRegistry.builder().build()) {
            registry.limiter("orders", FixedWindow.of(1, Duration.ofHours(1)));
            Routes routes = Routes.builder(registry.names())
                    .route(Route.of("/orders/{id}", "orders"))
                    .build();
            Tomcat tomcat = started(new WeirFilter(routes), Path.of("target", "tomcat", args[0]));
            try {
                URI address =
                        URI.create("http://localhost:" + tomcat.getConnector().getLocalPort() + "/orders/1");
                Check.expect(200, answer(address).statusCode());
                Check.expect(429, answer(address).statusCode());
                registry.override(
                        "orders", "{ rate: 2/h, algorithm: fixed-window }", Duration.ofHours(1), "ann", "more");
                HttpResponse<Void> third = answer(address);
                Check.expect(200, third.statusCode());
                Check.expect(
                        true,
                        third.headers()
                                .firstValue("RateLimit-Policy")
                                .orElse("")
                                .contains("q=2"));
            } finally {
                tomcat.stop();
                tomcat.destroy();
            }
        }
    }

    private static Tomcat started(WeirFilter filter, Path folder) throws Exception {
        Tomcat tomcat = new Tomcat();
        String base = Files.createDirectories(folder).toAbsolutePath().toString();
        tomcat.setBaseDir(base);
        tomcat.setPort(0);
        tomcat.getConnector();
        Context context = tomcat.addContext("", base);
        Tomcat.addServlet(context, "orders", new HttpServlet() {
            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) {
                response.setStatus(200);
            }
        });
        context.addServletMappingDecoded("/*", "orders");
        FilterDef limits = new FilterDef();
        limits.setFilterName("limits");
        limits.setFilter(filter);
        context.addFilterDef(limits);
        FilterMap all = new FilterMap();
        all.setFilterName("limits");
        all.addURLPattern("/*");
        context.addFilterMap(all);
        tomcat.start();
        return tomcat;
    }

    private static HttpResponse<Void> answer(URI address) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(address).build(), BodyHandlers.discarding());
    }
}
