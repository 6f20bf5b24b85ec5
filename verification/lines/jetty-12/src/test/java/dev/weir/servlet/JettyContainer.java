package dev.weir.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import java.util.EnumSet;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.http2.RateControl;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Jetty 12.1. */
final class JettyContainer implements TestContainer {
    private final Server server = new Server();
    private final ServerConnector connector;

    JettyContainer() {
        HttpConfiguration configuration = new HttpConfiguration();
        HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(configuration);
        http2.setRateControlFactory(new RateControl.Factory() {}); // clients that abort much are not sent away
        connector = new ServerConnector(server, new HttpConnectionFactory(configuration), http2);
        connector.setHost("127.0.0.1");
        connector.setIdleTimeout(1000);
        server.addConnector(connector);
    }

    @Override
    public void start(HttpServlet servlet, Filter... filters) throws Exception {
        ServletContextHandler context = new ServletContextHandler("/");
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        context.addServlet(holder, "/*");
        for (Filter filter : filters) {
            FilterHolder each = new FilterHolder(filter);
            each.setAsyncSupported(true);
            context.addFilter(each, "/*", EnumSet.allOf(DispatcherType.class));
        }
        server.setHandler(context);
        server.start();
    }

    @Override
    public int port() {
        return connector.getLocalPort();
    }

    @Override
    public void stop() throws Exception {
        server.stop();
    }
}
