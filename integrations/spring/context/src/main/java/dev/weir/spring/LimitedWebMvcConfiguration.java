package dev.weir.spring;

import dev.weir.Rejection;
import dev.weir.http.HttpRejection;
import dev.weir.named.Names;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * The bean {@code weirRejectionResolver}: a controller of Spring MVC that throws a {@link dev.weir.LimitExceededException} answers with
 * its status and fields. Handlers of the application come first, {@code @ExceptionHandler(Exception.class)} too.
 */
@Configuration(proxyBeanMethods = false)
final class LimitedWebMvcConfiguration {
    @Bean
    static HandlerExceptionResolver weirRejectionResolver(ObjectProvider<Names> names) {
        return new Resolver(new RejectionAnswers(names::getIfUnique));
    }

    @Order(Ordered.LOWEST_PRECEDENCE)
    private record Resolver(RejectionAnswers answers) implements HandlerExceptionResolver {
        @Override
        public @Nullable ModelAndView resolveException(
                HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception thrown) {
            Rejection rejection = response.isCommitted() ? null : RejectionAnswers.find(thrown);
            if (rejection == null) {
                return null;
            }
            HttpRejection answer = answers.answer(rejection, request.getHeader("Accept"));
            request.setAttribute(HttpRejection.ATTRIBUTE, answer);
            response.setStatus(answer.status());
            answer.fields().forEach(response::setHeader);
            // The controller may have begun to write, and have said how much.
            response.resetBuffer();
            String body = answer.body();
            response.setContentLength(body == null ? 0 : body.length());
            if (body != null) {
                response.setContentType("application/problem+json");
                write(response, body);
            }
            return new ModelAndView();
        }

        private static void write(HttpServletResponse response, String body) {
            try {
                try {
                    response.getOutputStream().print(body);
                } catch (IllegalStateException hasWriter) {
                    response.getWriter().write(body);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
