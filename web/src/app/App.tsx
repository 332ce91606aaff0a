import { Suspense, lazy } from "react";
import { useTranslation } from "react-i18next";
import { I18nProvider } from "react-aria-components/I18nProvider";
import { Outlet, Route, Routes } from "react-router";
import { ChatProvider } from "../features/chat/ChatProvider";
import { Page as Chat } from "../features/chat/Page";
import { SessionProvider } from "../features/session/SessionProvider";
import { Skeleton } from "../ui/States";
import { Faults } from "./Faults";
import { NotFound } from "./NotFound";
import { Shell } from "./Shell";

const SignIn = lazy(() => import("../features/session/Page").then(({ Page }) => ({ default: Page })));
const Search = lazy(() => import("../features/search/Page").then(({ Page }) => ({ default: Page })));
const Compare = lazy(() => import("../features/compare/Page").then(({ Page }) => ({ default: Page })));
const Share = lazy(() => import("../features/shares/Page").then(({ Page }) => ({ default: Page })));
const Document = lazy(() => import("../features/documents/Page").then(({ Page }) => ({ default: Page })));

export function App() {
  const { i18n } = useTranslation();
  return (
    <I18nProvider locale={i18n.language}>
      <Faults>
        <Routes>
          <Route
            path="/sign-in"
            element={
              <Suspense fallback={null}>
                <SignIn />
              </Suspense>
            }
          />
          <Route element={<Signed />}>
            <Route path="/" element={<Chat />} />
            <Route path="/chat/:conversation" element={<Chat />} />
            <Route path="/search" element={<Search />} />
            <Route path="/documents/:document" element={<Document />} />
            <Route path="/compare" element={<Compare />} />
            <Route path="/shares/:token" element={<Share />} />
            <Route path="*" element={<NotFound />} />
          </Route>
        </Routes>
      </Faults>
    </I18nProvider>
  );
}

function Signed() {
  return (
    <SessionProvider>
      {({ person_id }) => (
        <ChatProvider key={person_id}>
          <Shell>
            <Suspense fallback={<Skeleton lines={6} />}>
              <Outlet />
            </Suspense>
          </Shell>
        </ChatProvider>
      )}
    </SessionProvider>
  );
}
