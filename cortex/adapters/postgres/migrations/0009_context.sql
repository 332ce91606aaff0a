-- What a language model says of a passage's place in its document, for sources whose administrator wants that.
ALTER TABLE sources ADD COLUMN contextual boolean NOT NULL DEFAULT false;
ALTER TABLE chunks ADD COLUMN context text NOT NULL DEFAULT '';
