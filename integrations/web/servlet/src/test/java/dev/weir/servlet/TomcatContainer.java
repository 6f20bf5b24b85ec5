package dev.weir.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** Tomcat 10.1 or 11. */
final class TomcatContainer implements TestContainer {
    private final Tomcat tomcat = new Tomcat();

    @Override
    public void start(HttpServlet servlet, Filter... filters) throws Exception {
        Path base = Files.createTempDirectory(Path.of("target"), "tomcat");
        tomcat.setBaseDir(base.toAbsolutePath().toString());
        Connector connector = new Connector();
        connector.setPort(0);
        Http2Protocol http2 = new Http2Protocol();
        http2.setOverheadResetFactor(0); // clients that abort much are not sent away
        connector.addUpgradeProtocol(http2);
        connector.setProperty("connectionTimeout", "1000");
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", base.toAbsolutePath().toString());
        Tomcat.addServlet(context, "all", servlet).setAsyncSupported(true);
        context.addServletMappingDecoded("/*", "all");
        for (int i = 0; i < filters.length; i++) {
            add(context, "filter" + i, filters[i]);
        }
        tomcat.start();
        // Tomcat has given this one a level, and holds it.
        Logger.getLogger("org.apache.catalina.core.ContainerBase.[Tomcat].[localhost].[/]")
                .setLevel(Level.OFF);
    }

    private static void add(Context context, String name, Filter filter) {
        FilterDef definition = new FilterDef();
        definition.setFilterName(name);
        definition.setFilter(filter);
        definition.setAsyncSupported("true");
        context.addFilterDef(definition);
        FilterMap map = new FilterMap();
        map.setFilterName(name);
        map.addURLPattern("/*");
        for (DispatcherType type : DispatcherType.values()) {
            map.setDispatcher(type.name());
        }
        context.addFilterMap(map);
    }

    @Override
    public int port() {
        return tomcat.getConnector().getLocalPort();
    }

    @Override
    public void stop() throws Exception {
        tomcat.stop();
        tomcat.destroy();
    }
}
